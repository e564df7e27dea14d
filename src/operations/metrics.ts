import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CallerCache } from '../auth/caller-cache.js';
import { REJECTED, watchConnections } from '../http/connection.js';
import { owe } from '../http/owed.js';
import { routeOf } from '../http/request-log.js';
import { LogStream } from '../config/log-stream.js';
import { VERSION } from '../config/version.js';
import type { Sql } from '../database/sql.js';

/**
 * What alerts look for. Their series exist from the start with 0: to Prometheus, one that is born with its first count has
 * not grown.
 */
const WATCHED = ['429', '500', '503'];

/** Milliseconds that a client of the metrics may take to send, and to read. */
const PATIENCE = 30_000;

/**
 * Measures the service for Prometheus and answers `GET /metrics` on a port of its own, which is not meant for clients.
 * It comes and goes with the service. To be called before the routes are made.
 *
 * @param port on the same address as the service
 */
export function registerMetrics(
  fastify: FastifyInstance,
  sql: Sql,
  callers: CallerCache,
  host: string,
  port: number,
): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureRequests(fastify, registry);
  const build = new Gauge({
    registers: [registry],
    name: 'wins_tracker_build_info',
    help: 'The version that runs; its value is always 1',
    labelNames: ['version'],
  });
  build.set({ version: VERSION }, 1);
  registry.registerMetric(
    new Gauge({
      registers: [],
      name: 'database_connections',
      help: 'Connections of the pool; waiting are the statements that want one, or their turn on a shared one',
      labelNames: ['state'],
      collect() {
        for (const [state, count] of Object.entries(sql.connections)) this.set({ state }, count);
      },
    }),
  );
  registry.registerMetric(
    new Counter({
      registers: [],
      name: 'caller_cache_lookups_total',
      help: 'Sign-ins by where the caller was found: hit is the cache, miss is the database',
      labelNames: ['result'],
      collect() {
        this.reset();
        this.inc({ result: 'hit' }, callers.hits);
        this.inc({ result: 'miss' }, callers.misses);
      },
    }),
  );
  const refused = new Counter({
    registers: [registry],
    name: 'http_refused_total',
    help: 'What was refused before it was a request, by status: no HTTP (400), too slow (408), too large a head (431)',
    labelNames: ['status'],
  });
  for (const status of [400, 408, 431]) refused.inc({ status }, 0);
  fastify.server.on(REJECTED, (status: number) => refused.inc({ status }));

  registry.registerMetric(
    new Counter({
      registers: [],
      name: 'log_lines_dropped_total',
      help: 'Lines of the log that were not written, since nobody read them',
      collect() {
        this.reset();
        this.inc(LogStream.dropped);
      },
    }),
  );
  answerMetrics(fastify, registry, host, port);
}

/**
 * How many series there are follows from the code: of a path only its route is told, and methods and statuses are few.
 */
function measureRequests(fastify: FastifyInstance, registry: Registry): void {
  const requests = new Histogram({
    registers: [registry],
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  const expect = (method: string, route: string) => {
    for (const status of WATCHED) requests.zero({ method, route, status });
  };
  expect('GET', 'none');
  fastify.addHook('onRoute', ({ method, url }) => [method].flat().forEach((name) => expect(name, url)));
  fastify.addHook('onResponse', (request, reply, done) => {
    requests.labels(request.method, routeOf(request), String(reply.statusCode)).observe(reply.elapsedTime / 1000);
    done();
  });
}

function answerMetrics(fastify: FastifyInstance, registry: Registry, host: string, port: number): void {
  const answer = async ({ method = '', url = '' }: IncomingMessage, response: ServerResponse) => {
    if (url.split('?', 1)[0] !== '/metrics') return response.writeHead(404).end();
    if (!['GET', 'HEAD'].includes(method)) return response.writeHead(405, { allow: 'GET, HEAD' }).end();
    const text = await registry.metrics();
    owe(response, text.length);
    return response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  };
  const server = createServer({ requestTimeout: PATIENCE, headersTimeout: PATIENCE }, (request, response) => {
    answer(request, response).catch((err: unknown) => {
      fastify.log.error({ err }, 'metrics failed');
      response.writeHead(500).end();
    });
  }).setTimeout(PATIENCE);
  watchConnections({ server, log: fastify.log });
  fastify.addHook(
    'onListen',
    () => new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve)),
  );
  fastify.addHook('onClose', async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections(); // one that reads slowly must not keep the service from its end
    await closed;
  });
}
