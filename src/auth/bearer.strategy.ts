import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { Caller } from '../common/caller.js';
import type { BearerRequest } from './bearer.guard.js';
import { CallerCache } from './caller-cache.js';

/** Passport reads the token from the `Authorization` header; this looks up whose it is. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly callers: CallerCache) {
    super({ passReqToCallback: true });
  }

  /** @returns `false` for any token that isn't valid, whatever the reason */
  async validate({ headers }: BearerRequest, token: string): Promise<Caller | false> {
    return (await this.callers.find(headers.authorization ?? '', token)) ?? false;
  }
}
