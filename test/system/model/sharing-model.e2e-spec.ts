import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { Client } from 'pg';
import { NoTurnError } from '../../../src/database/errors.js';
import type { Queries } from '../../../src/database/queries.js';
import { Sql } from '../../../src/database/sql.js';
import { startApp, type TestApp } from '../../harness/app.js';
import { owner } from '../../harness/owner.js';
import { SEED } from '../../harness/programs.js';
import { until } from '../../harness/until.js';

/** Milliseconds of a wait for a turn, of one for a lock, and of as much again for a retry or a lost connection. */
const BOUND = 3 * 3_000 + 3_000;

const USERS = 4;
const NUMBER_OF_RUNS = 12;
const ACTIONS = 60;

/** What may be answered instead of rows: time-outs, a connection that was ended. Each is a 503 to a client. */
const ALLOWED = /55P03|57014|57P01|NoTurnError|terminated|ECONNRESET|EPIPE|not queryable/;

let app: TestApp;
let sql: Sql;
let outside: Client;

beforeAll(async () => {
  app = await startApp({ DATABASE_POOL_SIZE: '6' });
  sql = new Sql(app.dataSource);
  outside = new Client({ connectionString: process.env.TEST_DATABASE_URL });
  await outside.connect();
});
afterAll(async () => {
  await outside.end();
  await app.close();
});

const action = fc.record({
  kind: fc.constantFrom('shared', 'shared', 'shared', 'long', 'write', 'write', 'write', 'of', 'heavy', 'transaction'),
  user: fc.nat(USERS - 1),
  milliseconds: fc.constantFrom(0, 0, 0, 0, 1, 5, 30),
  locks: fc.boolean(),
});

/** What else happens, after how many milliseconds. */
const disturbance = fc.record({
  kind: fc.constantFrom('kill', 'lock', 'pause'),
  after: fc.nat(40),
  user: fc.nat(USERS - 1),
});

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;
type Disturbance = typeof disturbance extends fc.Arbitrary<infer T> ? T : never;

/** What a statement tells of itself. */
interface Row {
  n: number;
  pid: number;
  start: Date;
  end: Date;
}

/** Of how many sessions something ran at the same moment, at most. */
function mostSessions(rows: Row[]): number {
  const at = ({ start }: Row) => rows.filter((other) => other.start <= start && start < other.end);
  return Math.max(0, ...rows.map((row) => new Set(at(row).map(({ pid }) => pid)).size));
}

function waysOf(user: number): Record<string, Queries> {
  return {
    shared: sql.shared(owner(user)),
    long: sql.sharedLong(owner(user)),
    write: sql.writes(owner(user)),
    of: sql.of(owner(user)),
    heavy: sql.heavy(owner(user)),
  };
}

const isShared = ({ kind }: Action) => kind === 'shared' || kind === 'long';

async function run(users: number[], one: Action, n: number): Promise<Row[]> {
  const id = users[one.user]!;
  const lock = 'from (select id from users where id = $1 for no key update) locked';
  const text = `
    select $2::int as n, pg_backend_pid() as pid, clock_timestamp() as start, pg_sleep($3), clock_timestamp() as "end"
    ${one.locks && !isShared(one) ? lock : 'where $1::bigint > 0'}`;
  const values = [id, n, one.milliseconds / 1_000];
  if (one.kind !== 'transaction') return waysOf(id)[one.kind]!.query<Row>(text, values);
  return sql.transaction(
    async (inside) => {
      const [before] = await inside.query<Row>(text, values);
      const [after] = await inside.query<Row>(text, values);
      return [{ ...after!, start: before!.start }];
    },
    { owner: owner(id) },
  );
}

async function disturb(users: number[], { kind, after, user }: Disturbance): Promise<void> {
  await sleep(after);
  if (kind === 'kill') {
    await outside.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where query like '%as n, pg_backend_pid%' and pid <> pg_backend_pid() order by pid limit 1`,
    );
  } else if (kind === 'lock') {
    const holder = new Client({ connectionString: process.env.TEST_DATABASE_URL });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from users where id = $1 for no key update', [users[user]]);
    await sleep(150);
    await holder.end();
  }
}

describe('Random statements of some users at once', () => {
  it(`each get their own answer or are refused in time, and nobody has more than two sessions (MODEL_SEED=${SEED})`, async () => {
    const people = [];
    for (let n = 0; n < USERS; n++) people.push(await app.make.person());
    const users = people.map(({ id }) => id);
    const counts = { served: 0, refused: 0 };
    const property = fc.asyncProperty(
      fc.array(action, { minLength: ACTIONS, maxLength: ACTIONS }),
      fc.array(disturbance, { maxLength: 4 }),
      async (actions, disturbances) => {
        const others = disturbances.map((one) => disturb(users, one));
        const start = performance.now();
        const results = await Promise.allSettled(actions.map((one, n) => run(users, one, n)));
        const took = performance.now() - start;
        await Promise.all(others);
        const rows = users.map((): Row[] => []);
        for (const [n, result] of results.entries()) {
          if (result.status === 'fulfilled') {
            expect(result.value).toMatchObject([{ n }]);
            if (!isShared(actions[n]!)) rows[actions[n]!.user]!.push(...result.value);
          } else expect(reasonOf(result.reason)).toMatch(ALLOWED);
          counts[result.status === 'fulfilled' ? 'served' : 'refused']++;
        }
        expect(took).toBeLessThan(BOUND);
        for (const own of rows) expect(mostSessions(own)).toBeLessThanOrEqual(2);
        await until(() => sql.connections.busy + sql.connections.waiting + sql.userCount === 0);
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: NUMBER_OF_RUNS, endOnFailure: true });
    console.log(`MODEL_SEED=${SEED}: ${counts.served} served, ${counts.refused} refused`);
    expect(counts.served).toBeGreaterThan(counts.refused);
  }, 240_000);
});

function reasonOf(reason: unknown): string {
  if (reason instanceof NoTurnError) return reason.name;
  if (!(reason instanceof Error)) return String(reason);
  return 'code' in reason ? String(reason.code) : reason.message;
}
