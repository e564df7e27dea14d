import { Client } from 'pg';
import { Database } from '../../harness/database.js';
import { expectRefused, Workshop, type Service } from '../../harness/processes.js';

/** What a server, a database or a role may have as its defaults, or may lack. */

const workshop = new Workshop();
afterAll(() => workshop.clean());

/** The essential calls, of a user on the free plan. */
async function expectToWork(server: Service, token: string): Promise<void> {
  const call = (method: string, path: string, json?: unknown) =>
    server.call(method, `/api/v1/${path}`, { token, json });
  const create = async (): ReturnType<typeof call> => {
    const created = await call('POST', 'spaces', { space: { name: 'O\'Neil \\ "x"' } });
    return created.status === 503 ? create() : created; // on a busy machine, as the service tells its clients
  };
  const created = await Promise.all(Array.from({ length: 30 }, create));
  expect(created.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, ...Array<number>(27).fill(402)]);
  const { body: spaces } = await call('GET', 'spaces');
  expect(spaces).toHaveLength(3);
  expect(Math.abs(Date.parse(spaces[0].created_at) - Date.now())).toBeLessThan(60_000);
  const win = { body: 'Größe', space_id: spaces[0].id, tag_names: ['Éclair', 'apple'] };
  const { status, body: made } = await call('POST', 'wins', { win });
  expect(status).toBe(201);
  expect((await call('GET', 'wins?q=GRÖSSE&tag=éclair')).body).toEqual([made]);
  expect((await call('PATCH', `wins/${made.id}`, { win: { body: 'Kleiner' } })).status).toBe(200);
  const expires_at = '2100-07-01T12:00:00.000Z';
  const { body: issued } = await call('POST', 'tokens', { token: { name: 'x', expires_at } });
  expect(issued).toMatchObject({ expires_at });
  expect((await server.call('GET', '/api/v1/me', { token: issued.token })).status).toBe(200);
  expect((await call('DELETE', `spaces/${spaces[0].id}`)).status).toBe(204);
}

/** Each of these breaks something where it is believed. */
const ODD = {
  statement_timeout: '1',
  lock_timeout: '1',
  default_transaction_read_only: 'on',
  TimeZone: 'Asia/Kolkata',
  DateStyle: 'SQL, DMY',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  client_encoding: 'LATIN1',
  gin_fuzzy_search_limit: '1',
};

it.each([
  ['on', 'repeatable read'],
  ['off', 'serializable'],
])('odd defaults of a database change nothing, with PREPARED_STATEMENTS=%s and %s', async (prepared, isolation) => {
  const { url, query } = await workshop.database();
  expect(await workshop.cli({ DATABASE_URL: url }, 'migration', 'run')).toMatchObject({ code: 0 });
  const { token } = await new Database(url).person('free');
  const name = new URL(url).pathname.slice(1);
  const defaults = Object.entries({ ...ODD, default_transaction_isolation: isolation });
  const alter = defaults.map(([setting, value]) => `alter database ${name} set ${setting} = '${value}'`);
  await query([...alter, `alter database ${name} set search_path = information_schema, public`].join('; '));
  const server = await workshop.serve({
    DATABASE_URL: url,
    PREPARED_STATEMENTS: prepared,
    LOG_LEVEL: 'silent',
    NODE_ENV: 'test',
  });
  await expectToWork(server, token);
  await server.stop();
});

it('where a role has a schema of its own name, the tables are looked for where they are', async () => {
  const { url } = await workshop.database();
  const database = new Database(url);
  expect(await workshop.cli({ DATABASE_URL: url }, 'migration', 'run')).toMatchObject({ code: 0 });
  const { token } = await database.person('free');
  await database.query('create schema authorization current_user');
  const server = await workshop.serve({ DATABASE_URL: url, LOG_LEVEL: 'silent', NODE_ENV: 'test' });
  expect((await server.call('GET', '/api/v1/tags', { token })).status).toBe(200);
  const [{ count }] = (await database.query<{ count: number }>(
    `select count(*)::int as count from pg_class where relname = 'win_tags'`,
  )) as [{ count: number }];
  expect(count).toBe(1);
  await server.stop();
});

it('where pg_trgm and btree_gin are in a schema off the search path, they are used there', async () => {
  const { url, query } = await workshop.database();
  await query('create schema extensions');
  await query('create extension pg_trgm schema extensions');
  await query('create extension btree_gin schema extensions');
  const server = await workshop.serve({ DATABASE_URL: url, LOG_LEVEL: 'silent', NODE_ENV: 'test' });
  await expectToWork(server, (await new Database(url).person('free')).token);
  await server.stop();
});

const start = (DATABASE_URL: string) => workshop.failToServe({ DATABASE_URL, NODE_ENV: 'production' });

describe('A start that cannot succeed says in one line what to do', () => {
  it('where the search path is empty', async () => {
    const { url, query } = await workshop.database();
    const name = new URL(url).pathname.slice(1);
    await query(`alter database ${name} set search_path = ''`);
    expectRefused(await start(url), /search path.*alter role .* set search_path/);
  });

  it('where the triggers would not run', async () => {
    const { url } = await workshop.database({ session_replication_role: 'replica' });
    expectRefused(await start(url), /session_replication_role is "replica".*Reset it/);
  });

  it('where PostgreSQL has no ICU', async () => {
    const { url, query } = await workshop.database();
    await query(`delete from pg_collation where collname = 'und-x-icu'`);
    expectRefused(await start(url), /und-x-icu.*built with ICU/);
  });

  it('where the extensions are not installed', async () => {
    const { url } = await workshop.database();
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(`
      create function refuse() returns event_trigger language plpgsql as $$
      begin raise exception using errcode = 'feature_not_supported', message = 'extension "btree_gin" is not available'; end $$;
      create event trigger refuse on ddl_command_start when tag in ('CREATE EXTENSION') execute function refuse()`);
    await client.end();
    expectRefused(await start(url), /extension "btree_gin" is not available.*Install the contrib extensions/);
  });
});
