import { hash } from 'node:crypto';
import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseError } from 'pg';
import { lastValueFrom, of, type Observable } from 'rxjs';
import type { Caller } from '../common/caller.js';
import {
  AlreadyCreatedError,
  IdempotencyKeyReusedError,
  InvalidIdempotencyKeyError,
  RequestInProgressError,
} from '../common/errors.js';
import { Created, Issued, Json } from '../common/json.js';
import { Tally } from '../common/tally.js';
import { CONFIG, type Config } from '../config/config.js';
import { NoTurnError } from '../database/errors.js';
import { Sql } from '../database/sql.js';
import { locationOf } from '../http/respond.js';
import { IdempotencyRepository, type Done, type KeptResponse } from './idempotency.repository.js';

const KEY = /^[!-~]{1,255}$/;

const isLocked = (error: unknown) => error instanceof DatabaseError && error.code === '55P03';

/** What was asked for: the same method, path and body have the same digest. */
const fingerprintOf = ({ method, url, body }: FastifyRequest) =>
  hash('sha256', `${method} ${url.replace(/\/$/, '')} ${JSON.stringify(body ?? null)}`, 'buffer');

/**
 * Makes a request with an `Idempotency-Key` safe to repeat. Its key is claimed, the work is done and the response is
 * stored in one transaction: either all of it happened or nothing did. A repetition gets the stored response. What is
 * refused stores nothing, and so may be tried again with the same key.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  /** How many requests with a key this process handles at the moment. */
  readonly #underWay = new Tally<string>();

  constructor(
    private readonly sql: Sql,
    @Inject(CONFIG) private readonly config: Pick<Config, 'PUBLIC_URL'>,
  ) {}

  /** @throws InvalidIdempotencyKeyError if there is a key that can't be one */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = request.headers['idempotency-key'];
    if (key === undefined) return next.handle();
    if (typeof key !== 'string' || !KEY.test(key)) throw new InvalidIdempotencyKeyError();
    return of(await this.#once(key, request, http.getResponse<FastifyReply>(), next));
  }

  async #once(key: string, request: FastifyRequest, reply: FastifyReply, next: CallHandler): Promise<unknown> {
    const caller = request.caller!;
    const name = `${caller.userId} ${key}`;
    const others = this.#underWay.of(name);
    this.#underWay.add(name);
    try {
      return await this.sql.transaction((transaction) => this.#within(transaction, key, request, reply, next), {
        owner: caller,
      });
    } catch (error) {
      if (error instanceof NoTurnError && others > 0) throw new RequestInProgressError();
      throw error;
    } finally {
      request.caller = caller;
      this.#underWay.remove(name);
    }
  }

  async #within(
    transaction: Sql,
    key: string,
    request: FastifyRequest,
    reply: FastifyReply,
    next: CallHandler,
  ): Promise<unknown> {
    const { userId } = request.caller!;
    const keys = new IdempotencyRepository(transaction);
    const fingerprint = fingerprintOf(request);
    const isFree = await keys.claim(userId, key, fingerprint).catch((error: unknown) => {
      throw isLocked(error) ? new RequestInProgressError() : error;
    });
    if (!isFree) return replay(await keys.find(userId, key), fingerprint, reply);
    // Repositories get the caller as their `Owner`, and join its transaction.
    request.caller = { ...request.caller!, transaction } as Caller;
    const payload: unknown = await lastValueFrom(next.handle());
    await keys.complete(userId, key, reply.statusCode, this.#responseOf(payload, request));
    return payload;
  }

  #responseOf(payload: unknown, request: FastifyRequest): KeptResponse {
    return {
      location: payload instanceof Created ? locationOf(request, payload, this.config.PUBLIC_URL ?? '') : null,
      body: payload instanceof Json && !(payload instanceof Issued) ? payload.text : null,
    };
  }
}

/** Responds as before. */
function replay(done: Done | undefined, fingerprint: Buffer, reply: FastifyReply): Json<unknown> {
  if (done === undefined) throw new RequestInProgressError(); // it expired a moment ago
  if (!done.fingerprint.equals(fingerprint)) throw new IdempotencyKeyReusedError();
  if (done.body === null) throw new AlreadyCreatedError(done.location ?? '');
  if (done.location !== null) reply.header('location', done.location);
  reply.header('idempotency-replayed', 'true');
  return new Json(done.body);
}
