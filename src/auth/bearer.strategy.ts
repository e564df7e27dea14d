import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { Caller } from '../common/caller.js';
import { CallerCache } from './caller-cache.js';

/** Finds the caller by the token of the `Authorization` header. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly callers: CallerCache) {
    super();
  }

  /** @returns the token's caller, or `false` for one that is not valid, whatever the reason */
  async validate(token: string): Promise<Caller | false> {
    return (await this.callers.find(token)) ?? false;
  }
}
