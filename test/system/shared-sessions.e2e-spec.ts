import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { APPLICATION_NAME } from '../../src/database/data-source.js';
import { NoTurnError } from '../../src/database/errors.js';
import { PreparingPool } from '../../src/database/prepared.js';
import type { Queries } from '../../src/database/queries.js';
import { Sql } from '../../src/database/sql.js';
import { startApp, type TestApp } from '../harness/app.js';
import { owner } from '../harness/owner.js';
import { Relay } from '../harness/relay.js';
import { until } from '../harness/until.js';

const POOL_SIZE = 10;
/** How many short reads of one user may be pending on the shared connection. */
const SHARE = 64;

/** Milliseconds that a statement waits for its turn, for a lock or a session. */
const WAIT = 3_000;
const SPARE = 2_000;

const [ANN, BOB] = [1_001, 1_002];

let app: TestApp;
let sql: Sql;

beforeAll(async () => {
  app = await startApp({ DATABASE_POOL_SIZE: String(POOL_SIZE) });
  sql = new Sql(app.dataSource);
});
afterAll(() => app.close());

const echo = (n: number, queries: Queries) =>
  queries.one<{ n: number; pid: number }>('select $1::int as n, pg_backend_pid() as pid', [n]);

const nap = (seconds: number, queries: Queries) => queries.query('select pg_sleep($1) as nap', [seconds]);

const settingOf = async (queries: Queries) =>
  (await queries.one<{ name: string }>(`select current_setting('application_name') as name`, [])).name;

const range = (length: number) => Array.from({ length }, (_, n) => n);

const pidsOf = (rows: { pid: number }[]) => new Set(rows.map(({ pid }) => pid));

/** The process that serves shared reads, once there is one. */
async function sharedPid(of = sql, user = BOB): Promise<number> {
  let pid = 0;
  await until(async () => {
    const pids = pidsOf(await Promise.all([0, 1, 2, 3].map((n) => echo(n, of.shared(owner(user))))));
    pid = [...pids][0]!;
    return pids.size === 1;
  });
  return pid;
}

const kill = (pid: number) => sql.query('select pg_terminate_backend($1)', [pid]);

/** What the pool does with a new connection. @throws once the connection is lost */
const lose = async (client: unknown) => {
  (client as PoolClient).connection.stream.destroy(new Error('lost'));
  await sleep(50);
  throw new Error('lost');
};

const lockUser = 'select id from users where id = $1 for no key update';

describe('Shared reads', () => {
  it('give each of many its own answer', async () => {
    await sharedPid();
    const rows = await Promise.all(range(300).map((n) => echo(n, sql.shared(owner(n % 50)))));
    expect(rows.map(({ n }) => n)).toEqual(range(300));
  });

  it('keep the error of one from the others', async () => {
    await sharedPid();
    const results = await Promise.allSettled(
      range(100).map((n) => sql.shared(owner(n % 10)).one<{ n: number }>('select 10 / $1::int as n', [n % 5])),
    );
    for (const [n, result] of results.entries()) {
      expect(result).toMatchObject(
        n % 5 === 0 ? { status: 'rejected', reason: { code: '22012' } } : { value: { n: Math.floor(10 / (n % 5)) } },
      );
    }
  });

  it('are asked again where the connection is lost, and share one again later', async () => {
    const pid = await sharedPid();
    const naps = range(6).map((n) => nap(0.1, sql.shared(owner(n))));
    const rows = range(20).map((n) => echo(n, sql.shared(owner(100 + n))));
    await kill(pid);
    await Promise.all(naps);
    expect((await Promise.all(rows)).map(({ n }) => n)).toEqual(range(20));
    expect(await sharedPid()).not.toBe(pid);
  });

  it('are asked again where one of them stalls, and only what is slow is late', async () => {
    await sharedPid();
    const served: string[] = [];
    const slow = range(2).map((n) => nap(3.5, sql.shared(owner(n))).then(() => served.push('slow')));
    const quick = range(20).map((n) => echo(n, sql.shared(owner(10 + n))).then(() => served.push('quick')));
    await Promise.all([...slow, ...quick]);
    expect(served).toEqual([...quick.map(() => 'quick'), 'slow', 'slow']);
  });

  it('leave room on the shared connection to others, however many one user has pending', async () => {
    const pid = await sharedPid();
    const rows = await Promise.all([
      ...range(150).map((n) => echo(n, sql.shared(owner(ANN)))),
      ...range(50).map((n) => echo(n, sql.shared(owner(BOB)))),
    ]);
    const shared = rows.map((row) => row.pid === pid);
    expect(shared.slice(0, 150).filter(Boolean)).toHaveLength(SHARE);
    expect(shared.slice(150).filter(Boolean)).toHaveLength(50);
    await until(() => sql.connections.busy === 0);
    expect(sql.connections).toMatchObject({ busy: 0, waiting: 0 });
  });

  it('survive the loss of a connection that is only being opened', async () => {
    const pool = new PreparingPool({ connectionString: process.env.TEST_DATABASE_URL, onConnect: lose });
    expect(pool.reads.short.query(BOB, 'select 1', [])).toBeUndefined();
    await sleep(300); // an error that nobody listens for would end the process meanwhile
    expect(pool.reads.short.isOpen).toBe(false);
    await pool.end();
  });

  it('work again after a statement could not even be parsed', async () => {
    await sharedPid();
    await app.dataSource.query('create table late (n int); insert into late values (7)');
    const text = 'select n from late where n = $1';
    await sql.transaction(async (holder) => {
      await holder.query('lock table late in access exclusive mode');
      const results = await Promise.allSettled(range(20).map(() => sql.shared(owner(BOB)).query(text, [7])));
      const codes = results.map((result) => result.status === 'rejected' && (result.reason.code ?? result.reason.name));
      expect(new Set(codes)).toEqual(new Set(['55P03', 'NoTurnError']));
    });
    expect(await Promise.all(range(20).map((n) => sql.shared(owner(n)).query(text, [7])))).toEqual(
      range(20).map(() => [{ n: 7 }]),
    );
    await app.dataSource.query('drop table late');
  });

  it('do not wait for a connection that gives no answer', async () => {
    const relay = await Relay.start(process.env.TEST_DATABASE_URL!);
    const other = await startApp({ DATABASE_URL: relay.url, STATEMENT_TIMEOUT: '800' });
    try {
      const own = new Sql(other.dataSource);
      await sharedPid(own);
      const dead = new Set(relay.links);
      relay.isSilent = (link) => dead.has(link);
      const results = await Promise.allSettled(range(20).map((n) => echo(n, own.shared(owner(n)))));
      await until(async () => (await Promise.allSettled([echo(1, own.shared(owner(ANN)))]))[0]!.status === 'fulfilled');
      expect(results).toHaveLength(20);
      relay.isSilent = () => false;
    } finally {
      await other.close();
      await relay.stop();
    }
  });

  it('have each their own patience where the pool is busy and the shared connection is only being opened', async () => {
    const relay = await Relay.start(process.env.TEST_DATABASE_URL!);
    const other = await startApp({ DATABASE_URL: relay.url, DATABASE_POOL_SIZE: '2' });
    try {
      const own = new Sql(other.dataSource);
      const pid = await sharedPid(own);
      const held = Promise.all(range(2).map((n) => nap(3.5, own.of(owner(n)))));
      await until(() => own.connections.busy === 2);
      const known = new Set(relay.links);
      relay.isSilent = (link) => !known.has(link);
      await kill(pid);
      const early = Promise.allSettled([echo(1, own.shared(owner(ANN)))]);
      await sleep(WAIT - 200);
      const late = echo(2, own.shared(owner(BOB)));
      expect(await early).toMatchObject([{ status: 'rejected' }]);
      expect(await late).toMatchObject({ n: 2 });
      await held;
    } finally {
      await other.close();
      await relay.stop();
    }
  });

  it('are not for a transaction, which reads what it wrote itself', async () => {
    const person = await app.make.person();
    const undone = new Error('undone');
    const work = sql.transaction(async (inside) => {
      await inside.query('insert into tags (user_id, name) values ($1, $2)', [person.id, 'Mine']);
      const text = 'select name from tags where user_id = $1';
      for (const queries of [inside.shared(owner(ANN)), inside.of(owner(ANN)), inside.heavy(owner(ANN))]) {
        expect(await queries.query(text, [person.id])).toEqual([{ name: 'Mine' }]);
      }
      expect(await sql.shared(owner(ANN)).query(text, [person.id])).toEqual([]);
      throw undone;
    });
    await expect(work).rejects.toBe(undone);
  });

  it.each([{ DATABASE_POOL_SIZE: '1' }, { PREPARED_STATEMENTS: 'off' }])('work with %p', async (settings) => {
    const other = await startApp(settings);
    try {
      const own = new Sql(other.dataSource);
      for (const ways of [own.shared, own.sharedLong, own.heavy, own.writes, own.of]) {
        const rows = await Promise.all(range(50).map((n) => echo(n, ways.call(own, owner(n % 7)))));
        expect(rows.map(({ n }) => n)).toEqual(range(50));
      }
    } finally {
      await other.close();
    }
  });

  it('leave nothing open when the service closes', async () => {
    const other = await startApp({ DATABASE_POOL_SIZE: '2' });
    const own = new Sql(other.dataSource);
    const pid = await sharedPid(own);
    await other.close();
    await until(async () => (await sql.query('select from pg_stat_activity where pid = $1', [pid])).length === 0);
  });
});

describe('What a user has of the pool', () => {
  it('is two sessions, which go back', async () => {
    for (const queries of [sql.writes(owner(ANN)), sql.of(owner(ANN))]) {
      const rows = await Promise.all(range(100).map((n) => echo(n, queries)));
      expect(rows.map(({ n }) => n)).toEqual(range(100));
      expect(pidsOf(rows).size).toBeLessThanOrEqual(2);
    }
    expect(sql.connections).toMatchObject({ busy: 0, waiting: 0 });
  });

  it('is one session while a transaction runs, or a heavy read, which nothing comes between', async () => {
    let most = 0;
    const look = () => (most = Math.max(most, sql.connections.busy));
    const looks = range(20).flatMap(() => [
      settingOf(sql.writes(owner(ANN))),
      sql.transaction(
        async (inside) => {
          await inside.query(`set local application_name = 'inside'`);
          look();
          return settingOf(inside);
        },
        { owner: owner(ANN) },
      ),
      settingOf(sql.heavy(owner(ANN))).finally(look),
    ]);
    const expected = range(20).flatMap(() => [APPLICATION_NAME, 'inside', APPLICATION_NAME]);
    expect(await Promise.all(looks)).toEqual(expected);
    expect(most).toBe(1);
  });

  it('leaves the rest of the pool to other users', async () => {
    const naps = range(10).flatMap(() => [
      nap(0.05, sql.of(owner(ANN))),
      nap(0.05, sql.writes(owner(ANN))),
      nap(0.05, sql.heavy(owner(ANN))),
    ]);
    await Promise.all(range(50).map((n) => echo(n, sql.of(owner(BOB)))));
    expect(sql.connections.waiting).toBeGreaterThan(0);
    expect(sql.connections.busy).toBeLessThanOrEqual(2);
    await Promise.all(naps);
  });

  it('stays two sessions behind a locked row, and whoever waits is told', async () => {
    const ann = await app.make.person();
    const start = performance.now();
    const most = { busy: 0, waiting: 0 };
    const results = await sql.transaction(async (holder) => {
      await holder.query(lockUser, [ann.id]);
      const blocked = Promise.allSettled(range(50).map(() => sql.writes(owner(ann.id)).query(lockUser, [ann.id])));
      const watch = setInterval(() => {
        most.busy = Math.max(most.busy, sql.connections.busy);
        most.waiting = Math.max(most.waiting, sql.connections.waiting);
      }, 5);
      await echo(1, sql.writes(owner(BOB)));
      expect(performance.now() - start).toBeLessThan(WAIT);
      return blocked.finally(() => clearInterval(watch));
    });
    expect(performance.now() - start).toBeLessThan(2 * WAIT + SPARE);
    expect(most.busy).toBeLessThanOrEqual(1 + 2 + 1);
    expect(most.waiting).toBeGreaterThan(30);
    const reasons = results.map((result) => result.status === 'rejected' && result.reason);
    expect(new Set(reasons.map(({ code, name }) => code ?? name))).toEqual(new Set(['55P03', 'NoTurnError']));
    const rows = await Promise.all(range(100).map((n) => echo(n, sql.writes(owner(ann.id)))));
    expect(rows.map(({ n }) => n)).toEqual(range(100));
    await until(() => sql.connections.busy === 0);
    expect(sql.connections.waiting).toBe(0);
  });

  it('leaves the time-outs of sessions as they were', async () => {
    const timeOuts = `select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`;
    await Promise.all(range(100).map((n) => echo(n, sql.writes(owner(ANN)))));
    const rows = await Promise.all(range(10).map((n) => sql.of(owner(n)).query(timeOuts)));
    expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(new Set(['[{"lock":"3s","statement":"10s"}]']));
  });

  it('stays two sessions while statements are tried again', async () => {
    await app.dataSource.query('create sequence tries');
    const fail = `do $$ begin raise exception using errcode = '40001', message = nextval('tries')::text; end $$`;
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, sql.connections.busy)), 1);
    const results = await Promise.allSettled(
      range(8).flatMap(() => [sql.of(owner(ANN)).query(fail), sql.writes(owner(ANN)).query(fail)]),
    );
    clearInterval(watch);
    for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: { code: '40001' } });
    const [{ last }] = await app.dataSource.query<[{ last: number }]>('select last_value as last from tries');
    expect(last).toBeGreaterThan(3 * 16);
    expect(most).toBeLessThanOrEqual(2);
    await app.dataSource.query('drop sequence tries');
  });

  it('is first come, first served: a transaction is not passed by later writes', async () => {
    const end = new AbortController();
    const forever = async () => {
      while (!end.signal.aborted) await nap(0.01, sql.writes(owner(ANN)));
    };
    const load = range(16).map(forever);
    await sql.transaction((inside) => echo(1, inside), { owner: owner(ANN) });
    end.abort();
    await Promise.all(load);
  });

  it('is told after its time that there is no turn', async () => {
    const long = sql.transaction((inside) => inside.query('select pg_sleep(4)'), { owner: owner(ANN) });
    const start = performance.now();
    await expect(echo(1, sql.of(owner(ANN)))).rejects.toThrow(NoTurnError);
    expect(performance.now() - start).toBeGreaterThan(WAIT - 100);
    await expect(sql.transaction((inside) => echo(1, inside), { owner: owner(BOB) })).resolves.toMatchObject({ n: 1 });
    await long;
  });
});
