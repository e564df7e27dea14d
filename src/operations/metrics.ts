import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type Metric } from 'prom-client';
import type { CallerCache } from '../auth/caller-cache.js';
import { LogStream } from '../config/log-stream.js';
import { VERSION } from '../config/version.js';
import type { Sql } from '../database/sql.js';
import { REJECTED, watchConnections } from '../http/connection.js';
import { routeOf } from '../http/request-log.js';
import { countUnsent } from '../http/unsent.js';

/**
 * The statuses that alerts watch. Their series start at 0: Prometheus sees no increase in a series that first appears
 * with a 1.
 */
const WATCHED = ['429', '500', '503'];

/** Milliseconds that a client of `/metrics` may take to send its request and to read the response. */
const CLIENT_TIMEOUT = 30_000;

/**
 * Serves Prometheus metrics at `GET /metrics` on a port of their own, which clients should not reach. That server starts
 * and stops with the service. Call this before the routes are registered.
 *
 * @param host the address of the service
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
  countRejected(fastify, registry);
  measureState(registry, sql, callers);
  serveMetrics(fastify, registry, host, port);
}

/** The number of series is bounded by the code: requests are labelled with their route, not their path. */
function measureRequests(fastify: FastifyInstance, registry: Registry): void {
  const requests = new Histogram({
    registers: [registry],
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  const addSeries = (method: string, route: string) => {
    for (const status of WATCHED) requests.zero({ method, route, status });
  };
  addSeries('GET', 'none');
  fastify.addHook('onRoute', ({ method, url }) => [method].flat().forEach((name) => addSeries(name, url)));
  fastify.addHook('onResponse', (request, reply, done) => {
    requests.labels(request.method, routeOf(request), String(reply.statusCode)).observe(reply.elapsedTime / 1000);
    done();
  });
}

function countRejected(fastify: FastifyInstance, registry: Registry): void {
  const rejected = new Counter({
    registers: [registry],
    name: 'http_refused_total',
    help: 'Rejected before becoming a request, by status: not valid HTTP (400), too slow (408), headers too large (431)',
    labelNames: ['status'],
  });
  for (const status of [400, 408, 431]) rejected.inc({ status }, 0);
  fastify.server.on(REJECTED, (status: number) => rejected.inc({ status }));
}

/** Metrics that are read from elsewhere when Prometheus asks for them. */
function measureState(registry: Registry, sql: Sql, callers: CallerCache): void {
  for (const metric of [...metricsOfProcess(callers), ...metricsOfDatabase(sql)]) registry.registerMetric(metric);
}

/** None as yet: the metrics are registered together. */
const registers: Registry[] = [];

function metricsOfProcess(callers: CallerCache): Metric[] {
  return [
    new Gauge({
      registers,
      name: 'wins_tracker_build_info',
      help: 'The running version; the value is always 1',
      labelNames: ['version'],
      collect() {
        this.set({ version: VERSION }, 1);
      },
    }),
    new Counter({
      registers,
      name: 'caller_cache_lookups_total',
      help: 'Sign-ins by where the caller was found: hit is the cache, miss is the database',
      labelNames: ['result'],
      collect() {
        this.reset();
        this.inc({ result: 'hit' }, callers.hits);
        this.inc({ result: 'miss' }, callers.misses);
      },
    }),
    new Counter({
      registers,
      name: 'log_lines_dropped_total',
      help: 'Log lines dropped because nobody read them',
      collect() {
        this.reset();
        this.inc(LogStream.dropped);
      },
    }),
  ];
}

function metricsOfDatabase(sql: Sql): Metric[] {
  return [
    new Gauge({
      registers,
      name: 'database_connections',
      help: 'Connections to the database; waiting: statements that wait for one',
      labelNames: ['state'],
      collect() {
        for (const [state, count] of Object.entries(sql.connections)) this.set({ state }, count);
      },
    }),
    new Counter({
      registers,
      name: 'replica_reads_total',
      help: 'Reads sent to the replica; behind and failed: then repeated on the primary',
      labelNames: ['result'],
      collect() {
        this.reset();
        for (const [result, count] of Object.entries(sql.replicaReads ?? {})) this.inc({ result }, count);
      },
    }),
  ];
}

function serveMetrics(fastify: FastifyInstance, registry: Registry, host: string, port: number): void {
  const respond = async ({ method = '', url = '' }: IncomingMessage, response: ServerResponse) => {
    if (url.split('?', 1)[0] !== '/metrics') return response.writeHead(404).end();
    if (!['GET', 'HEAD'].includes(method)) return response.writeHead(405, { allow: 'GET, HEAD' }).end();
    const text = await registry.metrics();
    countUnsent(response, text.length);
    return response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  };
  const timeouts = { requestTimeout: CLIENT_TIMEOUT, headersTimeout: CLIENT_TIMEOUT };
  const server = createServer(timeouts, (request, response) => {
    respond(request, response).catch((err: unknown) => {
      fastify.log.error({ err }, 'metrics failed');
      response.writeHead(500).end();
    });
  }).setTimeout(CLIENT_TIMEOUT);
  watchConnections({ server, log: fastify.log });
  fastify.addHook(
    'onListen',
    () => new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve)),
  );
  fastify.addHook('onClose', async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections(); // a slow reader must not delay the shutdown
    await closed;
  });
}
