import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { Download } from '../common/download.js';
import { RateLimitError } from '../common/errors.js';
import { Tally } from '../common/tally.js';
import { CONFIG, type Config } from '../config/config.js';
import { setTag } from './conditional.js';

/** How many downloads a user may have at a time from this process: each holds some memory for as long as it is read. */
const MAX_DOWNLOADS = 2;

/** Seconds after which to ask again. */
const RETRY_AFTER = 5;

/** Counts a user's downloads until they end, and sets their `ETag`. */
@Injectable()
export class DownloadInterceptor implements NestInterceptor {
  readonly #underWay = new Tally<number>();

  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'PUBLIC_URL'>) {}

  /** @throws RateLimitError if the user has as many as there may be */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const { userId } = request.caller!;
    if (this.#underWay.of(userId) >= MAX_DOWNLOADS) throw new RateLimitError(RETRY_AFTER);
    this.#underWay.add(userId);
    try {
      const download = (await lastValueFrom(next.handle())) as Download;
      const stream = download.getStream().once('close', () => this.#underWay.remove(userId));
      setTag(request, reply, download, this.config.PUBLIC_URL ?? '');
      if (reply.statusCode === 304) stream.destroy();
      return of(download);
    } catch (error) {
      this.#underWay.remove(userId);
      throw error;
    }
  }
}
