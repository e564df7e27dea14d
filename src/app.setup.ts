import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';
import { registerAdmission } from './auth/admission.js';
import { BearerGuard } from './auth/bearer.guard.js';
import { CallerCache } from './auth/caller-cache.js';
import type { Config } from './config/config.js';
import { NestLogger } from './config/logger.js';
import { Sql } from './database/sql.js';
import { serveExplorer } from './docs/explorer.js';
import { createDocument } from './docs/openapi.js';
import { BODY_LIMIT, createAdapter } from './http/adapter.js';
import { acceptOnlyJson } from './http/body.js';
import { closeUnused, watchConnections } from './http/connection.js';
import { registerRevisionCheck } from './http/conditional.js';
import { RateLimit } from './http/rate-limit.js';
import { registerRequestChecks } from './http/request-checks.js';
import { answerPreflights, enableCors, registerResponseHooks } from './http/respond.js';
import { Readiness } from './operations/readiness.js';

/** The application, ready to listen. `server.ts` and the tests run this same list of steps; hooks run in their order. */
export async function createApp(
  config: Config,
  dataSource: DataSource,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const adapter = createAdapter(config, logger);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config, dataSource), adapter, {
    logger: new NestLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const base = config.PUBLIC_URL ?? '';
  const readiness = app.get(Readiness);
  enableCors(app, config);
  acceptOnlyJson(fastify);
  registerResponseHooks(fastify, base, () => readiness.isDraining);
  if (config.CORS_ORIGINS !== undefined) answerPreflights(fastify);
  registerRequestChecks(fastify, BODY_LIMIT);
  registerAdmission(fastify, app.get(BearerGuard), await RateLimit.create(config, logger));
  registerRevisionCheck(fastify, app.get(Sql), base);
  if (config.METRICS_PORT !== undefined) {
    const { registerMetrics } = await import('./operations/metrics.js');
    registerMetrics(fastify, app.get(Sql), app.get(CallerCache), config.HOST, config.METRICS_PORT);
  }
  closeUnused(fastify);
  watchConnections(fastify);
  serveExplorer(fastify, () => createDocument(app), base);
  return app.init();
}
