import { readFile } from 'node:fs/promises';
import fastify from 'fastify';

/** What Fastify can do at most on this machine: texts of the same size, no headers, no log, no database. */
const { BODIES = '', HOST, PORT } = process.env;
const bodies: Record<string, string> = JSON.parse(await readFile(BODIES, 'utf8'));

const app = fastify();
for (const [path, body] of Object.entries(bodies)) {
  app.get(path, (_, reply) => reply.type('application/json; charset=utf-8').send(body));
}
app.get('/healthz', () => ({ status: 'ok' }));
await app.listen({ host: HOST, port: Number(PORT) });
process.once('SIGTERM', () => void app.close());
