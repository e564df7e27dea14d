import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { CallerCache } from '../../../src/auth/caller-cache.js';
import { createToken, digestOf } from '../../../src/auth/token.js';
import { startApp } from '../../harness/app.js';
import { Database } from '../../harness/database.js';
import type { Person } from '../../harness/factories.js';
import { Workshop, type Service } from '../../harness/processes.js';
import { until } from '../../harness/until.js';
import { loadWhile } from './load.js';

/** What others do to the database, or it has become, while the built service is at work. */

const workshop = new Workshop();
let url: string;
let database: Database;
let server: Service;
let ann: Person;

const SETTINGS = { LOG_LEVEL: 'error', NODE_ENV: 'production', RATE_LIMIT_PER_MINUTE: '0' };

beforeAll(async () => {
  ({ url } = await workshop.database());
  server = await workshop.serve({ DATABASE_URL: url, ...SETTINGS });
  database = new Database(url);
});
afterAll(() => workshop.clean());
beforeEach(async () => {
  ann = await database.person();
});
/** Whatever a test does to the database: nothing of it is a fault of the service. */
afterEach(() => {
  if (server.stdout !== '') throw new Error(`The service logged a fault of its own:\n${server.stdout}`);
});

const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));
const tags = ({ token }: Person, on = server) => on.call('GET', '/api/v1/tags', { token });
const createTag = ({ token }: Person, on = server) =>
  on.call('POST', '/api/v1/tags', { token, json: { tag: { name: randomUUID().slice(0, 30) } } });

describe('Maintenance while requests come', () => {
  it.each([
    [
      'a column more',
      ['alter table wins add column mood text', 'alter table tags add column mood text default md5(random()::text)'],
    ],
    ['a column less', ['alter table wins drop column mood', 'alter table tags drop column mood']],
    ['an index of the operator', ['create index idx_theirs on wins (user_id, created_at)', 'drop index idx_theirs']],
    [
      'an index built beside',
      ['create index concurrently idx_theirs on wins (user_id, created_at)', 'drop index concurrently idx_theirs'],
    ],
    ['indexes made anew', ['reindex table wins', 'reindex table concurrently win_tags', 'reindex table api_tokens']],
    [
      'an index that is missing for a while',
      [
        'drop index idx_wins_folded_body',
        'create index idx_wins_folded_body on wins using gin (user_id, folded_body gin_trgm_ops)',
      ],
    ],
    [
      'tables written anew',
      ['vacuum full wins', 'vacuum full users', 'vacuum full api_tokens', 'cluster win_tags using pk_win_tags'],
    ],
    ['new statistics', ['analyze', 'vacuum analyze']],
  ])('is no fault, and is over at once: %s', async (_, statements) => {
    const { statuses, refused } = await loadWhile(server, ann, async () => {
      for (const statement of statements) {
        await sleep(200);
        await database.query(statement);
      }
      await sleep(200);
    });
    expect([...statuses].filter((status) => status >= 300 && status !== 503)).toEqual([]);
    expect({ refused: [...refused].filter((line) => line.endsWith('503')) }).toEqual({ refused: [] });
    for (let n = 0; n < 5; n++) expect([(await tags(ann)).status, (await createTag(ann)).status]).toEqual([200, 201]);
  });
});

describe('A row that someone outside has locked', () => {
  it('keeps only its user waiting, who is told while the lock is still held', async () => {
    const bob = await database.person();
    const row = await database.holding(ann);
    const told = new AbortController();
    const waiting = times(12, () => createTag(ann)).finally(() => told.abort());
    let others = 0;
    while (!told.signal.aborted) {
      expect([(await createTag(bob)).status, (await tags(ann)).status]).toEqual([201, 200]);
      others++;
    }
    expect((await waiting).map(({ status }) => status)).toEqual(Array(12).fill(503));
    expect(others).toBeGreaterThan(20);
    await row.release();
    expect((await createTag(ann)).status).toBe(201);
  });

  it('and the rows of 20 users, idle in a transaction: all others read on, and all write on afterwards', async () => {
    const people = await times(20, () => database.person());
    const outside = await database.session();
    await outside.query('begin');
    await outside.query('select from users where id = any ($1) for update', [people.map(({ id }) => id)]);
    const told = new AbortController();
    const waiting = Promise.all(people.map((person) => createTag(person))).finally(() => told.abort());
    let reads = 0;
    while (!told.signal.aborted) {
      expect((await tags(ann)).status).toBe(200);
      reads++;
    }
    expect(reads).toBeGreaterThan(20);
    expect(new Set((await waiting).map(({ status }) => status))).toEqual(new Set([503]));
    await outside.end();
    for (const person of people) expect((await createTag(person)).status).toBe(201);
  });
});

const failing = (code: string) => `create function fails() returns trigger language plpgsql as $$ begin
  raise exception using errcode = '${code}', message = 'Could not extend file "base/5/16384": No space left on device';
end $$`;

describe('Errors of the machine', () => {
  afterEach(() => database.query('drop trigger if exists trg_fails on tags; drop function if exists fails'));

  it.each(['53100', '53200', '58030', '57014', '55P03', '53400'])(
    'are a 503 when a row is written: %s',
    async (code) => {
      await database.query(failing(code));
      await database.query('create trigger trg_fails before insert on tags for each row execute function fails()');
      const answers = await times(20, () => createTag(ann));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      expect(answers[0]!.body.error).toMatch(/nothing was changed$/);
      expect((await tags(ann)).body).toEqual([]);
      await database.query('drop trigger trg_fails on tags');
      expect((await createTag(ann)).status).toBe(201);
    },
  );

  it.each(['53100', '40001'])('are a 503 when a transaction ends: %s', async (code) => {
    const { body: space } = await server.call('POST', '/api/v1/spaces', {
      token: ann.token,
      json: { space: { name: 'x' } },
    });
    const win = { body: 'before', space_id: space.id };
    const { body: made } = await server.call('POST', '/api/v1/wins', { token: ann.token, json: { win } });
    await database.query(failing(code));
    await database.query(`create constraint trigger trg_fails after insert on tags deferrable initially deferred
      for each row execute function fails()`);
    expect((await createTag(ann)).status).toBe(503);
    const change = { win: { body: 'after', tag_names: ['New'] } };
    expect((await server.call('PATCH', `/api/v1/wins/${made.id}`, { token: ann.token, json: change })).status).toBe(
      503,
    );
    expect((await server.call('GET', `/api/v1/wins/${made.id}`, { token: ann.token })).body).toEqual(made);
    await database.query('drop trigger trg_fails on tags');
    expect((await server.call('PATCH', `/api/v1/wins/${made.id}`, { token: ann.token, json: change })).status).toBe(
      200,
    );
  });
});

describe('Connections that others have taken', () => {
  it('are a 503 at worst, and all is well once they are free', async () => {
    const role = `few_${randomUUID().slice(0, 8)}`;
    await database.query(`create role ${role} superuser login password 'few'`);
    const few = new URL(url);
    [few.username, few.password] = [role, 'few'];
    const own = await workshop.serve({ DATABASE_URL: few.href, ...SETTINGS });
    const people = await times(8, () => database.person());
    expect((await tags(ann, own)).status).toBe(200);
    // A superuser is exempt from limits; one who was until a moment ago keeps what they have.
    await database.query(`alter role ${role} nosuperuser connection limit 1`);
    await database.query(
      `grant all on all tables in schema public to ${role}; grant all on all sequences in schema public to ${role}`,
    );
    await database.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
    const statuses = new Set<number>();
    for (let round = 0; round < 5; round++) {
      for (const { status } of await times(40, (n) => createTag(people[n % 8]!, own))) statuses.add(status);
      for (const { status } of await times(40, (n) => tags(people[n % 8]!, own))) statuses.add(status);
    }
    expect(statuses).toContain(503);
    expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    await database.query(`alter role ${role} connection limit -1`);
    await until(async () =>
      (await times(20, (n) => createTag(people[n % 8]!, own))).every(({ status }) => status === 201),
    );
    expect(own.stdout).toBe('');
    await own.stop();
    await database.query(`drop owned by ${role}; drop role ${role}`);
  });
});

describe('What is said on the channel of tokens', () => {
  let outside: Client;
  beforeEach(async () => {
    outside = await database.session();
  });
  afterEach(() => outside.end());

  it('may be nonsense, and 30,000 times: everybody is still known, and a revoked token still refused', async () => {
    const bob = await database.person();
    for (const person of [ann, bob]) await until(async () => (await tags(person)).status === 200);
    const nonsense = ['NaN', '-1', '1e999', '0x1', ' ', '{}', 'null', '__proto__', 'x'.repeat(7_000), '💥'];
    for (const word of nonsense) await outside.query(`select pg_notify('api_tokens', $1)`, [word]);
    const { statuses } = await loadWhile(server, ann, async () => {
      for (let n = 0; n < 30; n++)
        await outside.query(
          `select count(pg_notify('api_tokens', md5(n::text || $1))) from generate_series(1, 1000) n`,
          [n],
        );
    });
    expect([...statuses].toSorted()).toEqual([200, 201, 204]);
    await database.query('delete from api_tokens where user_id = $1', [bob.id]);
    await until(async () => (await tags(bob)).status === 401, 1_000);
  });

  it('costs by the users that it names, however many are remembered', async () => {
    const fresh = await workshop.database();
    const app = await startApp({ DATABASE_URL: fresh.url });
    const callers = app.app.get(CallerCache);
    const find = (token: string) => callers.find(`Bearer ${token}`, token);
    const recall = (token: string) => callers.recall(`Bearer ${token}`);
    /** Milliseconds that it takes to hear of 2,000 users, and then of one more. */
    const timeOf = async () => {
      const { id, token } = await app.make.person();
      await until(async () => (await find(token)) !== undefined && recall(token) !== undefined);
      const start = performance.now();
      await fresh.query(`select count(pg_notify('api_tokens', (n + 1000000)::text)) from generate_series(1, 2000) n`);
      await fresh.query('delete from api_tokens where user_id = $1', [id]);
      await until(() => recall(token) === undefined, 50_000);
      return performance.now() - start;
    };
    const control = Math.max(await timeOf(), await timeOf());
    const crowd = Array.from({ length: 9_000 }, createToken);
    await fresh.query(
      `with made as (
         insert into users (email) select 'crowd' || n || '@example.com' from generate_series(1, $1::int) n returning id
       )
       insert into api_tokens (user_id, digest, name, scope)
       select id, ($2::bytea[])[row_number() over ()], 'Test', 'read' from made`,
      [crowd.length, crowd.map(digestOf)],
    );
    for (let n = 0; n < crowd.length; n += 100) await Promise.all(crowd.slice(n, n + 100).map(find));
    await until(() => crowd.filter((token) => recall(token) !== undefined).length > 8_000);
    expect((await timeOf()) / control).toBeLessThan(10);
    await app.close();
  });
});

describe('Sessions that someone ends every 100 ms', () => {
  it('keep no revoked token good for more than a second', async () => {
    const over = new AbortController();
    const ending = (async () => {
      while (!over.signal.aborted) {
        await database.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name like 'wins-tracker%' and datname = current_database()`,
        );
        await sleep(100);
      }
    })();
    const statuses = new Set<number>();
    for (let round = 0; round < 5; round++) {
      const person = await database.person();
      await until(async () => (await tags(person)).status === 200);
      await database.query('delete from api_tokens where user_id = $1', [person.id]);
      await sleep(1_000);
      for (let n = 0; n < 5; n++) statuses.add((await tags(person)).status);
    }
    over.abort();
    await ending;
    expect([...statuses].filter((status) => ![401, 503].includes(status))).toEqual([]);
    await until(async () => (await tags(ann)).status === 200 && (await createTag(ann)).status === 201);
  });
});

/** Lets a process believe in another time than the database's. */
const shifted = (by: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`const { now } = Date; Date.now = () => now() + ${by}`)}`,
});

describe('The clock of an instance', () => {
  it.each([
    ['an hour behind', -3_600_000],
    ['an hour ahead', 3_600_000],
    ['a year ahead', 31_536_000_000],
  ])('may be %s: a token is good until it expires by the clock of the database', async (_, by) => {
    const own = await workshop.serve({ DATABASE_URL: url, ...SETTINGS, ...shifted(by) });
    const [{ at }] = (await database.query<{ at: Date }>(`select now() + interval '4 seconds' as at`)) as [
      { at: Date },
    ];
    const bob = { ...ann, token: await database.token(ann.id, at) };
    const isOver = async () => (await database.query<{ over: boolean }>('select $1 <= now() as over', [at]))[0]!.over;
    let good = 0;
    for (;;) {
      const wasOver = await isOver();
      const { status } = await tags(bob, own);
      if (!wasOver && !(await isOver())) {
        expect(status).toBe(200);
        good++;
      }
      if (wasOver) {
        expect(status).toBe(401);
        break;
      }
    }
    expect(good).toBeGreaterThan(10);
    await own.stop();
  });
});

it('a token that never ends may say so in the way of PostgreSQL', async () => {
  await database.query(`update api_tokens set expires_at = 'infinity' where user_id = $1`, [ann.id]);
  for (let n = 0; n < 3; n++) expect((await tags(ann)).status).toBe(200);
  const { status, body } = await server.call('POST', '/api/v1/tokens', {
    token: ann.token,
    json: { token: { name: 'x' } },
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({ expires_at: null });
  expect((await server.call('GET', '/api/v1/tokens', { token: ann.token })).status).toBe(200);
});

/** Each of these breaks something somewhere where it is believed. */
const ODD: Record<string, string> = {
  transaction_timeout: '15ms',
  statement_timeout: '50ms',
  idle_in_transaction_session_timeout: '1ms',
  quote_all_identifiers: 'on',
  'plpgsql.variable_conflict': 'use_column',
  'plpgsql.extra_errors': 'all',
  array_nulls: 'off',
  row_security: 'off',
  transform_null_equals: 'on',
  plan_cache_mode: 'force_custom_plan',
  extra_float_digits: '-15',
  IntervalStyle: 'iso_8601',
  default_transaction_deferrable: 'on',
  check_function_bodies: 'off',
  backslash_quote: 'off',
};

it('odd defaults of a database change nothing, from the first migration on', async () => {
  const fresh = await workshop.database();
  const known = await fresh.query<{ name: string }>('select name from pg_settings where name = any ($1)', [
    Object.keys(ODD),
  ]);
  const name = new URL(fresh.url).pathname.slice(1);
  const theirs = Object.entries(ODD).filter(
    ([key]) => key.includes('.') || known.some((setting) => setting.name === key),
  );
  expect(theirs.length).toBeGreaterThan(10); // an older server lacks some
  for (const [key, value] of theirs) await fresh.query(`alter database ${name} set ${key} = '${value}'`);
  const own = await workshop.serve({ DATABASE_URL: fresh.url, ...SETTINGS });
  const create = ['user', 'create', '--email', 'bob@example.com', '--json'];
  expect(await workshop.cli({ DATABASE_URL: fresh.url }, ...create)).toMatchObject({ code: 0, stderr: '' });
  const issued = await workshop.cli({ DATABASE_URL: fresh.url }, 'token', 'create', '--email', 'bob@example.com');
  const token = issued.stdout.trim();
  const call = (method: string, path: string, json?: unknown) => own.call(method, `/api/v1/${path}`, { token, json });
  const spaces = await times(5, (n) => call('POST', 'spaces', { space: { name: `NULL ${n}` } }));
  expect(spaces.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 402, 402]);
  const space_id = spaces.find(({ status }) => status === 201)!.body.id;
  const win = { body: 'Größe null', space_id, tag_names: ['NULL', 'null b'] };
  const { status, body: made } = await call('POST', 'wins', { win });
  expect(status).toBe(201);
  expect(made.tags.map((tag: { name: string }) => tag.name)).toEqual(win.tag_names);
  expect((await call('GET', 'wins?q=GRÖSSE%20nu&tag=null')).body).toEqual([made]);
  expect((await call('PATCH', `wins/${made.id}`, { win: { tag_names: ['a', 'b'] } })).status).toBe(200);
  expect((await call('DELETE', `spaces/${space_id}`)).status).toBe(204);
  expect((await call('GET', 'me')).body.limits).toMatchObject({ spaces: { used: 2 }, tags: { used: 4 } });
  await own.stop();
  expect(own.stdout).toBe('');
  const remove = ['user', 'delete', '--email', 'bob@example.com', '--yes'];
  expect(await workshop.cli({ DATABASE_URL: fresh.url }, ...remove)).toMatchObject({ code: 0, stderr: '' });
});
