import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../http.js';
import { pool } from './database.js';

/** Looks the token up by its digest at each request. */
export function authenticate(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) throw new Refusal(401, 'unauthenticated', 'Authentication required');
    const digest = createHash('sha256').update(token).digest();
    const { rows } = await pool.query<{ user_id: number; scope: string }>(
      'select user_id, scope from api_tokens where digest = $1 and (expires_at is null or expires_at > now())',
      [digest],
    );
    if (rows[0] === undefined) throw new Refusal(401, 'unauthenticated', 'Authentication required');
    if (rows[0].scope !== 'write' && request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Refusal(403, 'insufficient_scope', 'This token may only read');
    }
    request.userId = rows[0].user_id;
  });
}
