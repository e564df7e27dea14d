import fastify from 'fastify';
import { addHeaders, genReqId, HOST, LOG_LEVEL, PORT, Refusal, refusalOf, RequestLog, sendRefusal } from '../http.js';
import { authenticate } from './auth.js';
import { pool } from './database.js';
import { spaces } from './spaces.js';
import { tags } from './tags.js';
import { wins } from './wins.js';

/** The same service as a speed-minded team writes it by hand: Fastify with schemas, and `pg`. */
const app = fastify({
  logger: { level: LOG_LEVEL },
  logController: new RequestLog(),
  genReqId,
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
});

app.decorateRequest('userId', null);
addHeaders(app);

app.setErrorHandler(
  (
    error: Error & { validation?: unknown; statusCode?: number; constraint?: string; detail?: string },
    request,
    reply,
  ) => {
    if (error instanceof Refusal) return sendRefusal(request, reply, error);
    if (error.validation) return sendRefusal(request, reply, new Refusal(422, 'validation_failed', error.message));
    const refusal = refusalOf(error.constraint, error.detail);
    if (refusal !== undefined) return sendRefusal(request, reply, refusal);
    const status = error.statusCode ?? 500;
    if (status === 500) request.log.error({ err: error }, 'request failed');
    return sendRefusal(
      request,
      reply,
      new Refusal(status, status === 500 ? 'internal' : 'bad_request', 'Something went wrong'),
    );
  },
);

app.get('/healthz', () => ({ status: 'ok' }));
await app.register(
  async (api) => {
    authenticate(api);
    tags(api);
    spaces(api);
    wins(api);
  },
  { prefix: '/api/v1' },
);

await app.listen({ host: HOST, port: Number(PORT) });
process.once('SIGTERM', () => void app.close().then(() => pool.end()));
