import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../../src/auth/limits.js';
import { SCOPES } from '../../../src/common/caller.js';
import { startApp, type TestApp } from '../../harness/app.js';
import type { Person } from '../../harness/factories.js';
import { createDatabase, type FreshDatabase } from '../../harness/fresh-database.js';

let database: FreshDatabase;
let app: TestApp;
/** Another instance on the same database. */
let other: TestApp;

beforeAll(async () => {
  database = await createDatabase();
  app = await startApp({ DATABASE_URL: database.url });
  other = await startApp({ DATABASE_URL: database.url });
});
afterAll(async () => {
  await app.close();
  await other.close();
  await database.drop();
});

const sql = <Row = never>(text: string, values: unknown[] = []) => app.dataSource.query<Row[]>(text, values);

/** Rows of a user by SQL, as many as there may be but for some. */
const fill = {
  tag: ({ id }: Person, free = 0) =>
    sql(`insert into tags (user_id, name) select $1, 'Tag ' || n from generate_series(1, $2::int) n`, [
      id,
      LIMITS.tags - free,
    ]),
  space: ({ id }: Person, free = 0) =>
    sql(`insert into spaces (user_id, name, position) select $1, 'Space', n from generate_series(1, $2::int) n`, [
      id,
      LIMITS.spaces - free,
    ]),
  /** The person has one token already. */
  token: ({ id }: Person, free = 0) =>
    sql(
      `insert into api_tokens (user_id, digest, name, scope)
       select $1, sha256(random()::text::bytea), 'Test', $3 from generate_series(1, $2::int)`,
      [id, LIMITS.tokens - 1 - free, SCOPES[0]],
    ),
};

const MAX = { tag: LIMITS.tags, space: LIMITS.spaces, token: LIMITS.tokens };
type Kind = keyof typeof fill;
const KINDS = Object.keys(fill) as Kind[];
const LIMITED = { tag: 'tags', space: 'spaces', token: 'tokens that have not expired' };

const create = (on: TestApp, person: Person, kind: Kind, name: string = randomUUID().slice(0, 30)) =>
  on.as(person).post<{ id: number }>(`/api/v1/${kind}s`, { [kind]: { name } });

const limitReached = (kind: Kind, field: string = kind) => ({
  code: 'validation_failed',
  details: [
    {
      field,
      code: 'limit_reached',
      message: `A user can have at most ${MAX[kind]} ${LIMITED[kind]}`,
      params: { max: MAX[kind] },
    },
  ],
});

const used = async (person: Person) =>
  (await app.as(person).get<{ limits: Record<string, { max: number; used: number }> }>('/api/v1/me')).body.limits;

describe('The limit of', () => {
  it.each(KINDS)('%ss refuses one more, tells it in the account, and lets go of a place', async (kind) => {
    const ann = await app.make.person({ plan: 'pro' });
    await fill[kind](ann, 1);
    expect((await used(ann))[`${kind}s`]).toEqual({ max: MAX[kind], used: MAX[kind] - 1 });
    const last = await create(app, ann, kind);
    expect(last.status).toBe(201);
    expect((await used(ann))[`${kind}s`]).toEqual({ max: MAX[kind], used: MAX[kind] });
    const refused = await create(other, ann, kind);
    expect([refused.status, refused.body]).toEqual([422, expect.objectContaining(limitReached(kind))]);
    expect((await app.as(ann).delete(`/api/v1/${kind}s/${last.body.id}`)).status).toBe(204);
    expect((await create(other, ann, kind)).status).toBe(201);
  });

  it.each(KINDS)('%ss holds in 50 races for the last place, on two instances', async (kind) => {
    const ann = await app.make.person({ plan: 'pro' });
    await fill[kind](ann, 1);
    for (let round = 0; round < 50; round++) {
      const made = await Promise.all([app, other, app, other].map((on) => create(on, ann, kind)));
      expect(made.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422]);
      const { id } = made.find(({ status }) => status === 201)!.body;
      expect((await other.as(ann).delete(`/api/v1/${kind}s/${id}`)).status).toBe(204);
    }
  });

  it('tags counts those that a win would make, and no others', async () => {
    const ann = await app.make.person();
    const space = await create(app, ann, 'space');
    await fill.tag(ann, 1);
    const record = (...tag_names: string[]) =>
      app.as(ann).post<{ id: number }>('/api/v1/wins', { win: { body: 'x', space_id: space.body.id, tag_names } });
    const refused = await record('New', 'Newer', 'tag 1');
    expect([refused.status, refused.body]).toEqual([
      422,
      expect.objectContaining(limitReached('tag', 'win.tag_names')),
    ]);
    const { status, body: win } = await record('New', 'tag 1');
    expect(status).toBe(201);
    expect((await record('new', 'TAG 2')).status).toBe(201);

    const retag = (...tag_names: string[]) => other.as(ann).patch(`/api/v1/wins/${win.id}`, { win: { tag_names } });
    const again = await retag('Newest');
    expect([again.status, again.body]).toEqual([422, expect.objectContaining(limitReached('tag', 'win.tag_names'))]);
    expect((await retag('new')).status).toBe(200);
    expect(await used(ann)).toMatchObject({ tags: { used: LIMITS.tags } });
  });

  it('tags leaves alone who has more', async () => {
    const ann = await app.make.person();
    await sql('alter table users disable trigger trg_tags_limit');
    await fill.tag(ann, -5);
    await sql('alter table users enable trigger trg_tags_limit');
    const { body: tags, headers } = await app.as(ann).get<{ id: number }[]>('/api/v1/tags');
    expect(headers.get('x-total-count')).toBe(String(LIMITS.tags + 5));
    expect((await app.as(ann).patch(`/api/v1/tags/${tags[0]!.id}`, { tag: { name: 'Other' } })).status).toBe(200);
    expect((await app.as(ann).delete(`/api/v1/tags/${tags[0]!.id}`)).status).toBe(204);
    expect((await create(app, ann, 'tag')).status).toBe(422);
  });

  it('tokens does not count those that have expired, and none comes back by SQL', async () => {
    const ann = await app.make.person();
    await fill.token(ann);
    await sql(
      `update api_tokens set expires_at = now() - interval '1 second'
      where user_id = $1 and id = (select max(id) from api_tokens where user_id = $1)`,
      [ann.id],
    );
    expect((await used(ann)).tokens).toEqual({ max: LIMITS.tokens, used: LIMITS.tokens - 1 });
    expect((await create(app, ann, 'token')).status).toBe(201);
    const revive = sql('update api_tokens set expires_at = null where user_id = $1', [ann.id]);
    await expect(revive).rejects.toMatchObject({ driverError: { constraint: 'ck_api_tokens_limit' } });
  });

  it("spaces of a plan is told first, and is the plan's", async () => {
    const ann = await app.make.person();
    for (let n = 0; n < 3; n++) expect((await create(app, ann, 'space')).status).toBe(201);
    expect((await create(app, ann, 'space')).status).toBe(402);
    expect(await used(ann)).toEqual({
      spaces: { max: 3, used: 3 },
      tags: { max: 10_000, used: 0 },
      tokens: { max: 100, used: 1 },
    });
  });
});

describe('A list of tags', () => {
  it('has its total from the count beside the user', async () => {
    const ann = await app.make.person();
    await fill.tag(ann, LIMITS.tags - 3);
    await sql('alter table users disable trigger trg_tags_limit');
    await sql('update users set tags_count = 300000 where id = $1', [ann.id]);
    await sql('alter table users enable trigger trg_tags_limit');
    const { body, headers } = await app.as(ann).get<unknown[]>('/api/v1/tags');
    expect([body.length, headers.get('x-total-count')]).toEqual([3, '300000']);
  });
});
