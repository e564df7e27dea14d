import type { FastifyInstance } from 'fastify';
import { addPaging, invalid, isEmoji, notFound, readId } from '../http.js';
import { pool } from './database.js';
import { integer, pageQuery, readName, readPage, string, time, type PageQuery } from './schemas.js';

const COLUMNS = 'id, name, emoji, position, wins_count, created_at, updated_at';

const space = {
  type: 'object',
  properties: {
    id: integer,
    name: string,
    emoji: { type: 'string', nullable: true },
    position: integer,
    wins_count: integer,
    created_at: time,
    updated_at: time,
  },
} as const;

const body = {
  type: 'object',
  required: ['space'],
  properties: {
    space: {
      type: 'object',
      required: ['name'],
      properties: {
        name: string,
        emoji: { type: 'string', nullable: true },
        position: { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 },
      },
    },
  },
} as const;

interface ById {
  Params: { id: string };
}

interface Create {
  Body: { space: { name: string; emoji?: string | null; position?: number } };
}

export function spaces(app: FastifyInstance): void {
  app.get<PageQuery>(
    '/spaces',
    { schema: { querystring: pageQuery, response: { 200: { type: 'array', items: space } } } },
    async (request, reply) => {
      const { page, perPage, offset } = readPage(request.query);
      const [{ rows }, count] = await Promise.all([
        pool.query(`select ${COLUMNS} from spaces where user_id = $1 order by position, id limit $2 offset $3`, [
          request.userId,
          perPage,
          offset,
        ]),
        pool.query('select count(*) from spaces where user_id = $1', [request.userId]),
      ]);
      addPaging(request, reply, page, perPage, count.rows[0].count);
      return rows;
    },
  );

  app.get<ById>('/spaces/:id', { schema: { response: { 200: space } } }, async (request) => {
    const { rows } = await pool.query(`select ${COLUMNS} from spaces where user_id = $1 and id = $2`, [
      request.userId,
      readId(request.params.id),
    ]);
    if (rows[0] === undefined) throw notFound('Space');
    return rows[0];
  });

  // The plan's limit and the place at the end are the database's own (a trigger), so an insert is all there is to do.
  app.post<Create>('/spaces', { schema: { body, response: { 201: space } } }, async (request, reply) => {
    const { name, emoji, position } = request.body.space;
    if (emoji && !isEmoji(emoji)) throw invalid('space.emoji', 'not_an_emoji', 'must be exactly one emoji');
    const { rows } = await pool.query(
      `insert into spaces (user_id, name, emoji, position) values ($1, $2, $3, $4) returning ${COLUMNS}`,
      [request.userId, readName('space.name', name, 100), emoji || null, position ?? null],
    );
    reply.status(201).header('location', `/api/v1/spaces/${rows[0].id}`);
    return rows[0];
  });

  // The wins and their links go by the foreign keys' cascade.
  app.delete<ById>('/spaces/:id', async (request, reply) => {
    const { rowCount } = await pool.query('delete from spaces where user_id = $1 and id = $2', [
      request.userId,
      readId(request.params.id),
    ]);
    if (rowCount === 0) throw notFound('Space');
    return reply.status(204).send();
  });
}
