import type { FastifyInstance } from 'fastify';
import { addPaging, notFound, readId } from '../http.js';
import { pool } from './database.js';
import { integer, pageQuery, readName, readPage, string, time, type PageQuery } from './schemas.js';

const tag = {
  type: 'object',
  properties: { id: integer, name: string, wins_count: integer, created_at: time },
} as const;

const body = {
  type: 'object',
  required: ['tag'],
  properties: { tag: { type: 'object', required: ['name'], properties: { name: string } } },
} as const;

interface Rename {
  Params: { id: string };
  Body: { tag: { name: string } };
}

export function tags(app: FastifyInstance): void {
  app.get<PageQuery>(
    '/tags',
    { schema: { querystring: pageQuery, response: { 200: { type: 'array', items: tag } } } },
    async (request, reply) => {
      const { page, perPage, offset } = readPage(request.query);
      const [{ rows }, count] = await Promise.all([
        pool.query(
          'select id, name, wins_count, created_at from tags where user_id = $1 order by name limit $2 offset $3',
          [request.userId, perPage, offset],
        ),
        pool.query('select count(*) from tags where user_id = $1', [request.userId]),
      ]);
      addPaging(request, reply, page, perPage, count.rows[0].count);
      return rows;
    },
  );

  app.patch<Rename>('/tags/:id', { schema: { body, response: { 200: tag } } }, async (request) => {
    const name = readName('tag.name', request.body.tag.name, 30);
    const { rows } = await pool.query(
      'update tags set name = $3 where user_id = $1 and id = $2 returning id, name, wins_count, created_at',
      [request.userId, readId(request.params.id), name],
    );
    if (rows[0] === undefined) throw notFound('Tag');
    return rows[0];
  });
}
