import type { FastifyInstance } from 'fastify';
import { addPaging, invalid, isDate, notFound, readId } from '../http.js';
import { pool, transaction } from './database.js';
import { integer, pageQuery, readName, readPage, string, time, type PageQuery } from './schemas.js';

const WIN = `
  select w.id, w.body, w.occurred_on, w.created_at, w.updated_at,
    json_build_object('id', s.id, 'name', s.name, 'emoji', s.emoji) as space,
    coalesce(
      (select json_agg(json_build_object('id', t.id, 'name', t.name) order by t.name, t.id)
       from win_tags wt join tags t on t.user_id = wt.user_id and t.id = wt.tag_id
       where wt.user_id = w.user_id and wt.win_id = w.id),
      '[]'
    ) as tags
  from wins w join spaces s on s.user_id = w.user_id and s.id = w.space_id`;

const win = {
  type: 'object',
  properties: {
    id: integer,
    body: string,
    occurred_on: string,
    space: { type: 'object', properties: { id: integer, name: string, emoji: { type: 'string', nullable: true } } },
    tags: { type: 'array', items: { type: 'object', properties: { id: integer, name: string } } },
    created_at: time,
    updated_at: time,
  },
} as const;

const body = {
  type: 'object',
  required: ['win'],
  properties: {
    win: {
      type: 'object',
      required: ['body', 'space_id'],
      properties: {
        body: { type: 'string', minLength: 1, maxLength: 10_000, pattern: '\\S' },
        space_id: integer,
        occurred_on: string,
        tag_names: { type: 'array', items: string, maxItems: 50 },
      },
    },
  },
} as const;

interface Create {
  Body: { win: { body: string; space_id: number; occurred_on?: string; tag_names?: string[] } };
}

const changes = {
  type: 'object',
  required: ['win'],
  properties: {
    win: { type: 'object', required: ['body'], properties: { body: body.properties.win.properties.body } },
  },
} as const;

interface Update {
  Params: { id: string };
  Body: { win: { body: string } };
}

export function wins(app: FastifyInstance): void {
  app.get<PageQuery>(
    '/wins',
    { schema: { querystring: pageQuery, response: { 200: { type: 'array', items: win } } } },
    async (request, reply) => {
      const { page, perPage, offset } = readPage(request.query);
      const [{ rows }, count] = await Promise.all([
        pool.query(`${WIN} where w.user_id = $1 order by w.occurred_on desc, w.id desc limit $2 offset $3`, [
          request.userId,
          perPage,
          offset,
        ]),
        // The spaces' counts add up to it; counting 10,000 wins would take longer than reading the page.
        pool.query('select coalesce(sum(wins_count), 0) as count from spaces where user_id = $1', [request.userId]),
      ]);
      addPaging(request, reply, page, perPage, count.rows[0].count);
      return rows;
    },
  );

  app.post<Create>('/wins', { schema: { body, response: { 201: win } } }, async (request, reply) => {
    const { body: text, space_id, occurred_on, tag_names = [] } = request.body.win;
    if (occurred_on !== undefined && !isDate(occurred_on)) {
      throw invalid('win.occurred_on', 'not_a_date', 'must be a date such as 2026-01-31');
    }
    const names = [
      ...new Set(tag_names.filter((name) => name.trim() !== '').map((name) => readName('win.tag_names', name, 30))),
    ];
    const created = await transaction(async (client) => {
      const inserted = await client.query(
        `insert into wins (user_id, space_id, body, occurred_on)
         values ($1, $2, $3, coalesce($4::date, (now() at time zone 'UTC')::date)) returning id`,
        [request.userId, space_id, text, occurred_on ?? null],
      );
      const { id } = inserted.rows[0];
      if (names.length > 0) {
        await client.query(
          `with tagged as (
             insert into tags (user_id, name)
             select distinct on (fold_case(name)) $1::bigint, name from unnest($3::text[]) name order by fold_case(name)
             on conflict (user_id, fold_case(name)) do update set name = tags.name returning id
           )
           insert into win_tags (user_id, win_id, tag_id, occurred_on)
           select w.user_id, w.id, tagged.id, w.occurred_on from tagged, wins w where w.user_id = $1 and w.id = $2`,
          [request.userId, id, names],
        );
      }
      const { rows } = await client.query(`${WIN} where w.user_id = $1 and w.id = $2`, [request.userId, id]);
      return rows[0];
    });
    reply.status(201).header('location', `/api/v1/wins/${created.id}`);
    return created;
  });

  app.patch<Update>('/wins/:id', { schema: { body: changes, response: { 200: win } } }, async (request) => {
    const id = readId(request.params.id);
    const { rowCount } = await pool.query('update wins set body = $3 where user_id = $1 and id = $2', [
      request.userId,
      id,
      request.body.win.body,
    ]);
    if (rowCount === 0) throw notFound('Win');
    const { rows } = await pool.query(`${WIN} where w.user_id = $1 and w.id = $2`, [request.userId, id]);
    return rows[0];
  });
}
