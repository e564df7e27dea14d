import type { LoggerService } from '@nestjs/common';
import { LogController, type FastifyReply, type FastifyRequest } from 'fastify';
import { pino, type Logger } from 'pino';
import type { Config } from './config.js';

/** Matches a token of this service, whole or cut off. */
const TOKEN = /wins_[0-9a-f]+/i;

/** The path of a request, unless somebody put a token there, spelled with escapes or not. */
function pathOf(url: string): string {
  const path = url.split('?', 1)[0]!;
  return TOKEN.test(decodeURIComponent(path)) ? '/***' : path;
}

/** An error without what a client sent: the errors of queries carry their parameters along. */
function describe(error: Error & { code?: string }) {
  return { type: error.name, message: error.message, code: error.code, stack: error.stack };
}

/** Lines are written some at a time, at the latest after half a second or when the process ends: bytes, milliseconds. */
const GATHERED = { sync: false, minLength: 4096, periodicFlush: 500 };

/**
 * The process's one logger: JSON lines in production, readable lines elsewhere.
 * Standard output carries results (tokens, documents), so `stream` can send the log to standard error.
 */
export async function createLogger(config: Pick<Config, 'LOG_LEVEL' | 'NODE_ENV'>, stream: 1 | 2 = 1): Promise<Logger> {
  const options = { level: config.LOG_LEVEL, serializers: { err: describe } };
  if (config.NODE_ENV !== 'development') return pino(options, pino.destination({ dest: stream, ...GATHERED }));
  const { default: pretty } = await import('pino-pretty');
  return pino(
    options,
    pretty({ destination: stream, ignore: 'pid,hostname', translateTime: 'HH:MM:ss', singleLine: true, sync: true }),
  );
}

/** One line for each request once it is answered: who, what, how long; nothing that a client typed but the path. */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    request.log.info(
      {
        userId: request.caller?.userId,
        method: request.method,
        path: pathOf(request.url),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        ...(error && { err: error }),
      },
      'request',
    );
  }
}

/** Lets Nest write through the process's logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log = (message: unknown, context?: string) => this.logger.debug({ context }, String(message));
  debug = this.log;
  verbose = this.log;
  warn = (message: unknown, context?: string) => this.logger.warn({ context }, String(message));
  error = (message: unknown, stack?: string, context?: string) =>
    this.logger.error({ context, stack }, String(message));
  fatal = (message: unknown, context?: string) => this.logger.fatal({ context }, String(message));
}
