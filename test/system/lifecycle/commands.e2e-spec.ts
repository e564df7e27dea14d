import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadConfig } from '../../../src/config/config.js';
import { openDatabase, type Database } from '../../../src/database/database.js';
import type { Person } from '../../harness/factories.js';
import { findPostmaster, Process, expectRefused, Workshop, type Ending } from '../../harness/processes.js';
import { until } from '../../harness/until.js';

// Processes take seconds to start, and many more where the machine is busy.
import.meta.jest.setTimeout(300_000);

const PATIENCE = 60_000;
const CLI = resolve('dist/cli.js');

const workshop = new Workshop();
const opened: Database[] = [];
afterEach(() => Promise.all(opened.splice(0).map((database) => database.close())));
afterAll(() => workshop.clean());

/** A migrated database of its own. */
async function migrated() {
  const fresh = await workshop.migrated();
  opened.push(fresh.database);
  const query = <Row>(text: string, values?: unknown[]): Promise<Row[]> =>
    fresh.database.dataSource.query(text, values);
  const cli = (...args: string[]) => workshop.cli({ DATABASE_URL: fresh.url, LOG_LEVEL: 'silent' }, ...args);
  return { ...fresh, query, cli };
}

type Query = Awaited<ReturnType<typeof migrated>>['query'];

/** Tables, indexes, functions and what the migrations say of themselves: all that a migration could change. */
const schemaOf = async (query: Query) => {
  const objects = await query(`
    select relname as name, relkind::text as kind from pg_class where relnamespace = 'public'::regnamespace
    union all select proname, 'function' from pg_proc where pronamespace = 'public'::regnamespace
    order by 1, 2`);
  const done = await query(`select name from migrations order by id`).catch(() => []);
  return { objects, done };
};

/** Few enough at a time for the time that a statement has. */
const BATCH = 2_000;

/** Wins of a user with two tags each. */
async function fill(query: Query, { id }: Person, count: number): Promise<void> {
  await query('insert into spaces (user_id, name) values ($1, $2)', [id, 'Work']);
  await query(`insert into tags (user_id, name) select $1, 'Tag ' || n from generate_series(1, 50) n`, [id]);
  for (let done = 0; done < count; done += BATCH) {
    await query(
      `insert into wins (user_id, space_id, body, occurred_on)
       select $1, (select id from spaces where user_id = $1), 'Win ' || n, '2026-01-31' from generate_series(1, $2::int) n`,
      [id, Math.min(BATCH, count - done)],
    );
  }
  for (let n = 1; n <= 25; n++) {
    await query(
      `insert into win_tags (user_id, win_id, tag_id, occurred_on)
       select w.user_id, w.id, t.id, w.occurred_on from wins w join tags t on t.user_id = w.user_id
       where w.user_id = $1 and w.id % 25 = $2::int - 1 and t.name in ('Tag ' || $2::int, 'Tag ' || (25 + $2::int))`,
      [id, n],
    );
  }
}

const rowsOf = async (query: Query, { id }: Person) => {
  const counts = ['api_tokens', 'spaces', 'tags', 'wins', 'win_tags'].map(
    (table) => `(select count(*)::int from ${table} where user_id = $1) as ${table}`,
  );
  return (await query<Record<string, number>>(`select ${counts.join(', ')}`, [id]))[0]!;
};

describe('user delete', () => {
  const COUNT = 30_000;

  it('deletes a large account, though each statement of the service may take far less time', async () => {
    const { url, query, make } = await migrated();
    const [ann, bob] = [await make.person(), await make.person()];
    await fill(query, ann, COUNT);
    await fill(query, bob, 10);
    const bobs = await rowsOf(query, bob);
    const [{ id: bobsSpace }] = (await query('select id from spaces where user_id = $1', [bob.id])) as [{ id: number }];
    expect(await rowsOf(query, ann)).toMatchObject({ wins: COUNT, win_tags: 2 * COUNT });

    const service = await workshop.serve({ DATABASE_URL: url, LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '0' });
    const env = { DATABASE_URL: url, STATEMENT_TIMEOUT: '500' };
    const deleting = new Process(process.execPath, [CLI, 'user', 'delete', '--email', ann.email, '--yes'], env);
    const seen = { ann: new Set<number>(), bob: new Set<number>() };
    for (let n = 0; !deleting.hasEnded; n++) {
      const space = { space: { name: `New ${n}` } };
      const [hers, his] = await Promise.all([
        service.call('POST', '/api/v1/spaces', { token: ann.token, json: space }),
        service.call('PATCH', `/api/v1/spaces/${bobsSpace}`, { token: bob.token, json: space }),
      ]);
      seen.ann.add(hers.status);
      seen.bob.add(his.status);
    }
    const { code, stdout } = await deleting.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Deleted user ${ann.email}.\n` });
    for (const status of seen.ann) expect([201, 401, 402, 503]).toContain(status);
    expect([...seen.bob]).toEqual([200]);
    await until(async () => (await service.call('GET', '/api/v1/me', { token: ann.token })).status === 401);
    expect(Object.values(await rowsOf(query, ann)).every((count) => count === 0)).toBe(true);
    expect(await rowsOf(query, bob)).toEqual(bobs);
    await service.stop();
  });

  it('deletes nothing where it is interrupted', async () => {
    const { url, query, make } = await migrated();
    const ann = await make.person();
    await fill(query, ann, 10);
    const holding = await openDatabase(loadConfig({ NODE_ENV: 'test', DATABASE_URL: url }));
    opened.push(holding);
    const session = holding.dataSource.createQueryRunner();
    await session.startTransaction();
    await session.query('select from spaces where user_id = $1 for update', [ann.id]);
    const deleting = new Process(process.execPath, [CLI, 'user', 'delete', '--email', ann.email, '--yes'], {
      DATABASE_URL: url,
    });
    await until(async () => {
      const text = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      return (await query(text)).length > 0;
    }, PATIENCE);
    expect(await deleting.stop('SIGINT')).toMatchObject({ code: 130, stdout: '', stderr: '' });
    await session.rollbackTransaction();
    await session.release();
    expect(await rowsOf(query, ann)).toMatchObject({ api_tokens: 1, spaces: 1, tags: 50, wins: 10, win_tags: 20 });
    expect((await query('select from users where id = $1', [ann.id])).length).toBe(1);
  });
});

/** Every command that needs the schema as this version knows it. */
const COMMANDS = [
  ['user', 'list'],
  ['user', 'create', '--email', 'eve@example.com'],
  ['user', 'set-plan', '--email', 'ann@example.com', '--plan', 'pro'],
  ['user', 'delete', '--email', 'ann@example.com', '--yes'],
  ['token', 'list', '--email', 'ann@example.com'],
  ['token', 'create', '--email', 'ann@example.com'],
  ['token', 'revoke', '--email', 'ann@example.com', '--id', '1', '--yes'],
  ['demo', '--email', 'ann@example.com'],
];

describe('A command on a schema that is not the one of its version', () => {
  const refusal = /^The database lacks migrations \(\w+\d.*\), .* Run "node dist\/cli\.js migration run" first, or /;

  it('changes nothing of an older or an empty one, and says what to do', async () => {
    const { database, query, cli } = await migrated();
    const { dataSource } = database;
    for (const _ of dataSource.migrations) {
      await dataSource.undoLastMigration({ transaction: 'all' });
      const before = await schemaOf(query);
      for (const command of COMMANDS) expectRefused(await cli(...command), refusal);
      expect((await cli('migration', 'list')).code).toBe(0);
      expect(await schemaOf(query)).toEqual(before);
    }
    await query('drop table migrations');
    const empty = await schemaOf(query);
    expectRefused(await cli('user', 'list'), refusal);
    expect(await cli('migration', 'list')).toMatchObject({ code: 0, stdout: expect.stringContaining('pending') });
    expect(await schemaOf(query)).toEqual(empty);
    expect(await cli('migration', 'run')).toMatchObject({ code: 0 });
    expect(await cli('user', 'list')).toMatchObject({ code: 0, stdout: 'None.\n' });
  });

  it('works on a newer one, and so does the service', async () => {
    const { url, query, cli, make } = await migrated();
    const { token } = await make.person();
    await query(`insert into migrations (timestamp, name) values (4000000000000, 'Later4000000000000')`);
    expect(await cli('user', 'list')).toMatchObject({ code: 0, stderr: '' });
    const states = JSON.parse((await cli('migration', 'list', '--json')).stdout);
    expect(states.at(-1)).toEqual({ state: 'unknown', name: 'Later4000000000000' });
    for (const MIGRATIONS of ['on', 'off']) {
      const service = await workshop.serve({ DATABASE_URL: url, LOG_LEVEL: 'silent', MIGRATIONS });
      expect((await service.call('GET', '/api/v1/tags', { token })).status).toBe(200);
      await service.stop();
    }
  });

  it('makes no embedded database where there is none', async () => {
    const dataDir = join(await workshop.folder(), 'data');
    for (const command of [...COMMANDS, ['migration', 'list'], ['migration', 'revert', '--yes']]) {
      expectRefused(
        await workshop.cli({ DATA_DIR: dataDir }, ...command),
        /^There is no database in .*data yet\. Start the service or run "node dist\/cli\.js migration run" first, or /,
      );
    }
    await expect(readdir(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await findPostmaster(dataDir)).toEqual({});
  });

  it.each(['development', 'production'])(
    'is no matter to `openapi`, which needs no database, in %s',
    async (NODE_ENV) => {
      const dataDir = join(await workshop.folder(), 'data');
      const { code, stdout } = await workshop.cli({ DATA_DIR: dataDir, NODE_ENV }, 'openapi');
      expect(code).toBe(0);
      expect(stdout).toBe(await readFile('openapi.json', 'utf8'));
      await expect(readdir(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );
});

/** All migrations are taken back, the last first. @returns what was said */
const revertAll = async (cli: (...args: string[]) => Promise<Ending>, count: number): Promise<string> => {
  let said = '';
  for (let n = 0; n < count; n++) {
    const { code, stderr, stdout } = await cli('migration', 'revert', '--yes');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Reverted \w+\d+\.\n$/) });
    said += stderr;
  }
  return said;
};

describe('migration revert', () => {
  it('names what it will drop, and drops nothing without a yes', async () => {
    const { query, cli, make, database } = await migrated();
    const ann = await make.person();
    await fill(query, ann, 10);
    const before = await schemaOf(query);
    const { code, stdout, stderr } = await cli('migration', 'revert');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Reverting \w+\d+ drops .*\nConfirmation required: add --yes\.\n$/);
    expect(await schemaOf(query)).toEqual(before);
    expect(await rowsOf(query, ann)).toMatchObject({ wins: 10, win_tags: 20 });

    const said = await revertAll(cli, database.dataSource.migrations.length);
    expect(said).toContain('the table wins (10 rows)');
    expect(said).toContain('the table win_tags (20 rows)');
    expect(said).toContain('the table users (1 row)');
    expect((await schemaOf(query)).done).toEqual([]);
    expectRefused(await cli('migration', 'revert', '--yes'), 'There is no migration to revert.');
    expect(await cli('migration', 'run')).toMatchObject({ code: 0 });
    expect(await schemaOf(query)).toMatchObject({ objects: before.objects });
  });

  it('leaves a migration of a newer version to that version', async () => {
    const { query, cli } = await migrated();
    await query(`insert into migrations (timestamp, name) values (4000000000000, 'Later4000000000000')`);
    const before = await schemaOf(query);
    expectRefused(
      await cli('migration', 'revert', '--yes'),
      'The last migration is Later4000000000000, of a newer version: only that version can revert it.',
    );
    expect(await schemaOf(query)).toEqual(before);
  });

  it('is what `npm run migration:revert` runs', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
    expect(scripts['migration:revert']).toMatch(/node dist\/cli\.js migration revert$/);
  });

  if (process.platform === 'linux') {
    it('asks on a terminal, and takes no for an answer', async () => {
      const { url, query } = await migrated();
      const before = await schemaOf(query);
      const line = 'printf "$1" | script --quiet --return --command "$2" /dev/null';
      const command = `${process.execPath} ${CLI} migration revert`;
      const answer = (typed: string) =>
        new Process('sh', ['-c', line, 'sh', typed, command], { DATABASE_URL: url }).ended;
      const no = await answer('n\\n');
      expect(no.stdout).toMatch(/drops [^]*Revert \w+\d+\? \(y\/N\) [^]*Cancelled: nothing was changed\./);
      expect(no.code).toBe(1);
      expect(await schemaOf(query)).toEqual(before);
      expect(await answer('y\\n')).toMatchObject({ code: 0 });
      expect(await schemaOf(query)).not.toEqual(before);
    });
  }
});
