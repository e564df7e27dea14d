import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '../harness/database.js';
import { expectRefused, Service, Workshop } from '../harness/processes.js';
import { until } from '../harness/until.js';
import type { Person } from '../harness/factories.js';
import { createDatabase, type FreshDatabase } from '../harness/fresh-database.js';
import { startPgBouncer, type PgBouncer } from '../harness/pgbouncer.js';
import { freePort } from '../harness/ports.js';

/** Needs `pgbouncer`. */

/** Milliseconds after which a revoked token must be refused. */
const BOUND = 1_000;

const TIME_OUTS = { statement_timeout: '10s', lock_timeout: '3s', idle_in_transaction_session_timeout: '10s' };

const workshop = new Workshop();
let fresh: FreshDatabase;
let database: Database;

const TOKENS = '/api/v1/tokens';
const migrated = (url: string) => workshop.cli({ DATABASE_URL: url, PREPARED_STATEMENTS: 'off' }, 'migration', 'run');
const createTag = (service: Service, { token }: Person, name: string) =>
  service.call('POST', '/api/v1/tags', { token, json: { tag: { name } } });

afterAll(() => workshop.clean());

describe.each([
  ['transaction', 'off'],
  ['session', 'off'],
  ['session', 'on'],
] as const)('Two instances behind PgBouncer in %s mode, PREPARED_STATEMENTS=%s', (mode, PREPARED_STATEMENTS) => {
  let pgbouncer: PgBouncer;
  let services: Service[];

  beforeAll(async () => {
    fresh = await createDatabase(TIME_OUTS);
    database = new Database(fresh.url);
    pgbouncer = await startPgBouncer({ databaseUrl: fresh.url, mode, settings: { default_pool_size: 40 } });
    services = [];
    for (let n = 0; n < 2; n++) services.push(await Service.start(pgbouncer.url, { PREPARED_STATEMENTS }));
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop('SIGKILL')));
    await pgbouncer.stop();
    await fresh.drop();
  });

  it('refuse a revoked token within a second', async () => {
    for (let round = 0; round < 3; round++) {
      const ann = await database.person();
      const me = (service: Service) => service.call('GET', '/api/v1/me', { token: ann.token });
      const end = performance.now() + 1_500; // as long as it takes to remember, and to find out that nothing is heard
      while (performance.now() < end)
        for (const service of services) expect(await me(service)).toMatchObject({ status: 200 });
      const { body } = await services[0]!.call('GET', TOKENS, { token: ann.token });
      const [{ id }] = body as [{ id: number }];
      expect(await services[0]!.call('DELETE', `${TOKENS}/${id}`, { token: ann.token })).toMatchObject({ status: 204 });
      await sleep(BOUND);
      for (const service of services) expect(await me(service)).toMatchObject({ status: 401 });
    }
  });

  it('refuse with what is the matter, whatever two clients do at once', async () => {
    const ann = await database.person('free');
    const create = (n: number) =>
      services[n % 2]!.call('POST', '/api/v1/spaces', { token: ann.token, json: { space: { name: 'Space' } } });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => create(n)));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(201), count(402)]).toEqual([3, 57]);
    expect(await createTag(services[0]!, ann, 'Same')).toMatchObject({ status: 201 });
    expect(await createTag(services[1]!, ann, 'same')).toMatchObject({ status: 422 });
  });

  it('have their time-outs wherever a statement runs', async () => {
    const ann = await database.person();
    const row = await database.holding(ann);
    const start = performance.now();
    const space = { token: ann.token, json: { space: { name: 'Waits' } } };
    expect(await services[0]!.call('POST', '/api/v1/spaces', space)).toMatchObject({ status: 503 });
    expect(performance.now() - start).toBeLessThan(9_000); // the lock's time-out, not the statement's
    await row.release();
  });

  it('run migrations as often as one likes, while requests are served', async () => {
    const ann = await database.person();
    const over = new AbortController();
    const load = Array.from({ length: 4 }, async (_, n) => {
      for (let i = 0; !over.signal.aborted; i++)
        expect(await createTag(services[n % 2]!, ann, `${n}-${i}`)).toMatchObject({ status: 201 });
    });
    for (let run = 0; run < 7; run++) {
      expect(await migrated(pgbouncer.url)).toMatchObject({ code: 0, stdout: 'The schema is up to date.\n' });
    }
    over.abort();
    await Promise.all(load);
    const held = `
      select pid from pg_locks join pg_database d on d.oid = database
      where locktype = 'advisory' and datname = current_database()`;
    expect(await database.query(held)).toEqual([]);
  });
});

describe('Behind PgBouncer in transaction mode', () => {
  it('is refused in one line that says what to do, where the role lacks the time-outs', async () => {
    const bare = await workshop.database();
    const pgbouncer = await startPgBouncer({ databaseUrl: bare.url, mode: 'transaction' });
    const { code, stdout, stderr } = await migrated(pgbouncer.url);
    await pgbouncer.stop();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^Can't use the database .*: the pooler shares sessions.* Run: alter role postgres set .*lock_timeout = '3000'.*\n$/,
    );
  });

  it('is a 503 with a line that names the setting, where statements are prepared', async () => {
    const bare = await workshop.database(TIME_OUTS);
    expect(await migrated(bare.url)).toMatchObject({ code: 0 });
    // One session for all: what one connection prepared, the next one has too.
    const settings = { default_pool_size: 1 };
    const pgbouncer = await startPgBouncer({ databaseUrl: bare.url, mode: 'transaction', settings });
    const service = await Service.start(pgbouncer.url);
    try {
      const { token } = await new Database(bare.url).person();
      const statuses = new Set<number>();
      const ask = async () => {
        const paths = ['tags', 'spaces', 'wins', 'me', 'tokens'].map((path) => `/api/v1/${path}`);
        const answers = await Promise.all([...paths, ...paths].map((path) => service.call('GET', path, { token })));
        for (const { status } of answers) statuses.add(status);
      };
      await until(async () => {
        await ask();
        return statuses.has(503) || statuses.has(500);
      });
      expect([...statuses]).not.toContain(500);
      await until(() => service.output.includes('set PREPARED_STATEMENTS=off'));
      // A second one does not start, unless the pooler has just given up the session in which statements are prepared.
      await until(async () => {
        await ask();
        const second = new Service(await freePort(), { DATABASE_URL: pgbouncer.url, NODE_ENV: 'production' });
        const ending = await Promise.race([second.ended, sleep(5_000)]);
        if (ending) expectRefused(ending, /set PREPARED_STATEMENTS=off/);
        else await second.stop('SIGKILL');
        return ending !== undefined;
      }, 50_000);
    } finally {
      await service.stop('SIGKILL');
      await pgbouncer.stop();
    }
  }, 120_000);
});
