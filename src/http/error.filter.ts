import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  HttpError,
  NotFoundError,
  PlanLimitError,
  ServiceError,
  UnavailableError,
  type Fault,
} from '../common/errors.js';
import { CONFIG, type Config } from '../config/config.js';
import { adviceOn, REFUSALS, translateDatabaseError, type Refusals } from '../database/errors.js';

/** The one shape of every error. */
export interface ErrorBody {
  error: string;
  code: string;
  request_id: string;
  details?: Fault[];
  upgrade_url?: string;
}

/** Our errors for those of the framework, by status. */
const BY_STATUS: Record<number, () => ServiceError> = {
  400: () => new HttpError('bad_request', 'The request is malformed'),
  404: () => new NotFoundError('Route'),
  408: () => new HttpError('request_timeout', 'The request took too long to arrive'),
  413: () => new HttpError('body_too_large', 'The body is too large'),
  415: () => new HttpError('unsupported_media_type', 'The body must be application/json'),
  431: () => new HttpError('headers_too_large', 'The headers are too large'),
  501: () => new HttpError('not_implemented', 'This transfer coding is not supported'),
};

/**
 * Turns whatever was thrown into the error of the response. An unexpected error is a 500 without details. What the framework
 * has a status for is not the database's: a client that is gone is a lost connection too.
 */
function toServiceError(error: unknown, refusals: Refusals): ServiceError {
  if (error instanceof ServiceError) return error;
  const status = statusOf(error);
  return (status === 500 ? translateDatabaseError(error, refusals) : undefined) ?? errorOfStatus(status);
}

/** The same for a request: one that only reads has written nothing, even if the connection was lost. */
function toResponse(error: unknown, method: string, refusals: Refusals): ServiceError {
  const known = toServiceError(error, refusals);
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && known instanceof UnavailableError ? new UnavailableError() : known;
}

/** Our error for one that the framework or Node knows only by its status. */
export const errorOfStatus = (status: number): ServiceError =>
  BY_STATUS[status]?.() ?? new HttpError('internal', 'Something went wrong on our side');

/** The status that Nest (`getStatus()`) or Fastify (`statusCode`) has in mind for an error of theirs. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  return error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
}

export function errorBody(error: ServiceError, requestId: string, extra: Pick<ErrorBody, 'upgrade_url'> = {}): string {
  return JSON.stringify({
    error: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.details && { details: error.details }),
    ...extra,
  } satisfies ErrorBody);
}

/** Responds to every error of handlers, guards, pipes and of Fastify itself. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'UPGRADE_URL'>,
    @Inject(REFUSALS) private readonly refusals: Refusals,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const known = toResponse(error, request.method, this.refusals);
    if (known.status === 500) request.log.error({ err: error }, 'request failed');
    if (known instanceof UnavailableError)
      request.log.warn({ err: error, advice: adviceOn(error) }, 'database unavailable');
    const extra = known instanceof PlanLimitError ? { upgrade_url: this.config.UPGRADE_URL } : {};
    void reply
      .status(known.status)
      .headers(known.headers)
      .type('application/json; charset=utf-8')
      .send(errorBody(known, request.id, extra));
  }
}
