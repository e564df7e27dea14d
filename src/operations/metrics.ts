import { createServer } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CallerCache } from '../auth/caller-cache.js';
import { REFUSED } from '../common/http-edge.js';
import type { Sql } from '../database/sql.js';

/**
 * Measures the service for Prometheus and answers `GET /metrics` on a port of its own, which is not meant for clients.
 * It comes and goes with the service.
 *
 * @param port on the same address as the service
 */
export function measure(fastify: FastifyInstance, sql: Sql, callers: CallerCache, host: string, port: number): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    requests.labels(request.method, route, String(reply.statusCode)).observe(reply.elapsedTime / 1000);
    done();
  });
  const connections = new Gauge({
    name: 'database_connections',
    help: 'Connections of the pool; waiting are the statements that want one, or their turn on a shared one',
    labelNames: ['state'],
    collect() {
      for (const [state, count] of Object.entries(sql.connections)) this.set({ state }, count);
    },
  });
  const lookups = new Counter({
    name: 'caller_cache_lookups_total',
    help: 'Sign-ins by where the caller was found: hit is the cache, miss is the database',
    labelNames: ['result'],
    collect() {
      this.reset();
      this.inc({ result: 'hit' }, callers.hits);
      this.inc({ result: 'miss' }, callers.misses);
    },
  });

  const refused = new Counter({
    name: 'http_refused_total',
    help: 'What was refused before it was a request, by status: no HTTP (400), too slow (408), too large a head (431)',
    labelNames: ['status'],
  });
  for (const status of [400, 408, 431]) refused.inc({ status }, 0);
  fastify.server.on(REFUSED, (status: number) => refused.inc({ status }));

  registry.registerMetric(refused);
  registry.registerMetric(requests);
  registry.registerMetric(connections);
  registry.registerMetric(lookups);

  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    void registry.metrics().then((text) => response.setHeader('content-type', registry.contentType).end(text));
  });
  fastify.addHook(
    'onListen',
    () => new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve)),
  );
  fastify.addHook('onClose', () => new Promise<void>((resolve) => server.close(() => resolve())));
}
