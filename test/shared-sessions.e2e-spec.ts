import { APPLICATION_NAME } from '../src/database/data-source.js';
import { NoTurnError } from '../src/database/errors.js';
import type { Queries } from '../src/database/queries.js';
import { Sql } from '../src/database/sql.js';
import { startApp, type TestApp } from './harness/app.js';
import { Relay } from './harness/relay.js';
import { until } from './harness/until.js';

const POOL_SIZE = 10;
/** As many reads as may wait for their answers on the shared session. */
const PENDING = 200;

/**
 * How long a statement waits for a lock or a session, in milliseconds, and some to spare. Of two that wait for a row, the
 * second waits for the first and then for the row.
 */
const WAIT = 3_000;
const SPARE = 1_000;

let app: TestApp;
let sql: Sql;

beforeAll(async () => {
  app = await startApp({ DATABASE_POOL_SIZE: String(POOL_SIZE) });
  sql = new Sql(app.dataSource);
});
afterAll(() => app.close());

const echo = (n: number, queries = sql.shared) =>
  queries.one<{ n: number; pid: number }>('select $1::int as n, pg_backend_pid() as pid', [n]);

const divide = (n: number) => sql.shared.one<{ n: number }>('select 10 / $1::int as n', [n]);

const settingOf = async (queries: Queries) =>
  (await queries.one<{ name: string }>(`select current_setting('application_name') as name`, [])).name;

const range = (length: number) => Array.from({ length }, (_, n) => n);

describe('The shared session', () => {
  it('gives each of many reads its own answer', async () => {
    const rows = await Promise.all(range(PENDING).map((n) => echo(n)));
    expect(rows.map(({ n }) => n)).toEqual(range(PENDING));
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(1);
  });

  it('keeps what would be too many waiting', async () => {
    const rows = await Promise.all(range(5 * PENDING).map((n) => echo(n)));
    expect(rows.map(({ n }) => n)).toEqual(range(5 * PENDING));
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(1);
  });

  it('keeps the error of one read from the others', async () => {
    const results = await Promise.allSettled(range(100).map((n) => divide(n % 5)));
    for (const [n, result] of results.entries()) {
      expect(result).toMatchObject(
        n % 5 === 0 ? { status: 'rejected', reason: { code: '22012' } } : { value: { n: Math.floor(10 / (n % 5)) } },
      );
    }
  });

  it('leaves the rest of the pool to everything else while it is busy', async () => {
    let areDone = false;
    const naps = Promise.all(range(30).map(() => sql.shared.query('select pg_sleep($1)', [0.05]))).then(() => {
      areDone = true;
    });
    await Promise.all(range(POOL_SIZE).map((n) => echo(n, sql)));
    expect(areDone).toBe(false);
    expect(sql.connections.busy).toBe(1);
    await naps;
  });

  it('fails what was pending when it is ended, and nothing that comes after', async () => {
    const pending = Promise.allSettled(range(30).map(() => sql.shared.query('select pg_sleep($1) as nap', [5])));
    const napping = `from pg_stat_activity where state = 'active' and query like $1 and pid <> pg_backend_pid()`;
    await until(async () => (await sql.query(`select ${napping}`, ['%as nap'])).length === 1);
    await sql.query(`select pg_terminate_backend(pid) ${napping}`, ['%as nap']);
    for (const { status } of await pending) expect(status).toBe('rejected');
    const later = await Promise.all(range(100).map((n) => echo(n)));
    expect(later.map(({ n }) => n)).toEqual(range(100));
  });

  it('is given up as soon where no answer comes, however many were sent before', async () => {
    const [timeout, lateness] = [800, 2_000];
    const relay = await Relay.start(process.env.TEST_DATABASE_URL!);
    const other = await startApp({ DATABASE_URL: relay.url, STATEMENT_TIMEOUT: String(timeout) });
    try {
      const { shared } = new Sql(other.dataSource);
      const start = performance.now();
      const naps = range(19).map(() => shared.query('select pg_sleep($1)', [0.01]));
      const last = Promise.allSettled([shared.query('select pg_sleep($1)', [0.5])]);
      await Promise.all(naps);
      relay.isSilent = () => true;
      expect(await last).toMatchObject([{ status: 'rejected' }]);
      expect(performance.now() - start).toBeLessThan(timeout + lateness + SPARE);
      relay.isSilent = () => false;
    } finally {
      await other.close();
      await relay.stop();
    }
  });

  it('is two for longer reads', async () => {
    const rows = await Promise.all(range(2 * PENDING).map((n) => echo(n, sql.sharedLong)));
    expect(rows.map(({ n }) => n)).toEqual(range(2 * PENDING));
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(2);
  });

  it('goes back to the pool once nothing is pending', async () => {
    await Promise.all(range(100).map((n) => echo(n)));
    expect(sql.connections).toMatchObject({ busy: 0, waiting: 0 });
  });

  it('is not for a transaction, which reads what it wrote itself', async () => {
    const person = await app.make.person();
    const undone = new Error('undone');
    const work = sql.transaction(async (inside) => {
      await inside.query('insert into tags (user_id, name) values ($1, $2)', [person.id, 'Mine']);
      expect(await inside.shared.query('select name from tags where user_id = $1', [person.id])).toEqual([
        { name: 'Mine' },
      ]);
      expect(await sql.shared.query('select name from tags where user_id = $1', [person.id])).toEqual([]);
      throw undone;
    });
    await expect(work).rejects.toBe(undone);
  });

  it.each([{ DATABASE_POOL_SIZE: '1' }, { PREPARED_STATEMENTS: 'off' }])(
    'is none with %p: each read has a session to itself',
    async (settings) => {
      const other = await startApp(settings);
      try {
        const own = new Sql(other.dataSource);
        expect(own.shared).toBe(own);
        expect((await Promise.all(range(50).map((n) => echo(n, own.shared)))).map(({ n }) => n)).toEqual(range(50));
      } finally {
        await other.close();
      }
    },
  );
});

describe('The writes of a user', () => {
  const [ANN, BOB] = [1_001, 1_002];

  it('share two sessions, which go back to the pool', async () => {
    const rows = await Promise.all(range(100).map((n) => echo(n, sql.writes(ANN))));
    expect(rows.map(({ n }) => n)).toEqual(range(100));
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(2);
    expect(sql.connections).toMatchObject({ busy: 0, waiting: 0 });
  });

  it('have transactions in them, which nothing comes between', async () => {
    const busy: number[] = [];
    const looks = range(20).flatMap(() => [
      settingOf(sql.writes(ANN)),
      sql.transaction(
        async (inside) => {
          await inside.query(`set local application_name = 'inside'`);
          busy.push(sql.connections.busy);
          return settingOf(inside);
        },
        { userId: ANN },
      ),
    ]);
    expect(await Promise.all(looks)).toEqual(range(20).flatMap(() => [APPLICATION_NAME, 'inside']));
    expect(Math.max(...busy)).toBe(2);
    expect(sql.connections).toMatchObject({ busy: 0, waiting: 0 });
  });

  it('leave the rest of the pool to other users while they wait', async () => {
    const naps = range(10).flatMap(() => [
      sql.writes(ANN).query('select pg_sleep($1)', [0.05]),
      sql.transaction((inside) => inside.query('select pg_sleep($1)', [0.05]), { userId: ANN }),
    ]);
    await Promise.all(range(50).map((n) => echo(n, sql.writes(BOB))));
    expect(sql.connections.busy).toBe(2);
    await Promise.all(naps);
  });

  it('give their sessions up to others where the pool is small', async () => {
    const other = await startApp({ DATABASE_POOL_SIZE: '2' });
    try {
      const own = new Sql(other.dataSource);
      const end = new AbortController();
      const forever = async () => {
        while (!end.signal.aborted) await own.writes(ANN).query('select pg_sleep($1)', [0.01]);
      };
      const load = range(30).map(forever);
      for (const queries of [own, own.writes(BOB), own.shared]) {
        const start = performance.now();
        await echo(1, queries);
        expect(performance.now() - start).toBeLessThan(SPARE);
      }
      end.abort();
      await Promise.all(load);
    } finally {
      await other.close();
    }
  });

  it('never take a third session, also while some that ran out of time are cancelled', async () => {
    const ann = await app.make.person();
    const lock = 'select id from users where id = $1 for no key update';
    const nap = `
      select clock_timestamp() as start, pg_backend_pid() as pid, pg_sleep(0.02 + $1), clock_timestamp() as "end"`;
    const naps: { start: Date; pid: number; end: Date }[] = [];
    await sql.transaction(async (holder) => {
      await holder.query(lock, [ann.id]);
      const refused = range(16).map(async (n) => {
        await expect(sql.writes(ann.id).query(lock, [ann.id])).rejects.toThrow(/lock timeout|user request/);
        naps.push(await sql.writes(ann.id).one<(typeof naps)[number]>(nap, [n / 1_000]));
      });
      await Promise.all(refused);
    });
    expect(naps).toHaveLength(16);
    for (const { start } of naps) {
      const at = naps.filter((other) => other.start <= start && start < other.end);
      expect(new Set(at.map(({ pid }) => pid)).size).toBeLessThanOrEqual(2);
    }
  });

  it('all end soon after the first of them ran out of time, and others do not', async () => {
    const ann = await app.make.person();
    const text = 'select id from users where id = $1 for no key update';
    const start = performance.now();
    const results = await sql.transaction(async (holder) => {
      await holder.query(text, [ann.id]);
      const blocked = Promise.allSettled(range(50).map(() => sql.writes(ann.id).query(text, [ann.id])));
      await until(async () => sql.connections.busy === 3);
      expect(sql.connections.waiting).toBe(34);
      await echo(1, sql.writes(BOB));
      expect(performance.now() - start).toBeLessThan(SPARE);
      return blocked;
    });
    expect(performance.now() - start).toBeGreaterThan(WAIT);
    expect(performance.now() - start).toBeLessThan(2 * WAIT + SPARE);
    const reasons = results.map((result) => result.status === 'rejected' && result.reason);
    expect(reasons.filter(({ code }) => code === '55P03' || code === '57014')).toHaveLength(16);
    expect(reasons.filter((reason) => reason instanceof NoTurnError)).toHaveLength(34);
    const later = await Promise.all(range(100).map((n) => echo(n, sql.writes(ann.id))));
    expect(later.map(({ n }) => n)).toEqual(range(100));
  });
});
