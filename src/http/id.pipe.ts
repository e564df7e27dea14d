import type { PipeTransform } from '@nestjs/common';

/**
 * Reads an id from a path. Only `[1-9][0-9]*` up to 2^53-1 is one; everything else becomes 0, which no row has, and
 * so ends as the same 404 in the same place as an id that does not exist.
 */
export class IdPipe implements PipeTransform<string, number> {
  transform(text: string): number {
    const id = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : 0;
    return Number.isSafeInteger(id) ? id : 0;
  }
}
