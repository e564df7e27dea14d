import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as Session } from 'pg';
import { startApp, type TestApp } from '../harness/app.js';
import { Client } from '../harness/client.js';
import { CLUSTER, createPlain, databaseAt, dropSpread } from '../harness/cluster.js';
import type { Person } from '../harness/factories.js';
import { queryOnce } from '../harness/query-once.js';
import { Machine } from '../harness/machine.js';
import { CLI, Process, Service } from '../harness/processes.js';
import { WinWriter } from '../harness/win-writer.js';
import { freePort } from '../harness/ports.js';
import { startBuilt } from '../harness/surroundings.js';
import { until } from '../harness/until.js';

/** A Citus cluster, which `TEST_CITUS_NODES` names: how tables get there, and what happens when a machine goes or is relieved. */

const USERS = 12;

const cli = (args: string[], env: NodeJS.ProcessEnv) => new Process(process.execPath, [CLI, ...args], env).ended;

const nodes = CLUSTER!;
const machines = nodes.map((url, number) => new Machine(url, number));
const name = `test_cluster_${randomUUID().slice(0, 8)}`;
let url: string;
let app: TestApp;
let session: Session;
beforeAll(async () => {
  url = await createPlain(nodes, name);
  session = new Session({ connectionString: url });
  await session.connect();
});
afterAll(async () => {
  await session?.end();
  await app?.close();
  await dropSpread(nodes, name);
});

/** The worker that has a user's rows. */
async function machineOf({ id }: Person): Promise<Machine> {
  const { rows } = await session.query<{ port: number }>(
    `select nodeport as port from citus_shards where table_name = 'users'::regclass
       and shardid = get_shard_id_for_distribution_column('users', $1::bigint)`,
    [id],
  );
  return machines.find(({ port }) => port === rows[0]!.port)!;
}

/** How many sessions wait for a lock with a statement like this. */
const waiting = async (text: string) =>
  (await session.query(`select from pg_stat_activity where wait_event_type = 'Lock' and query like $1`, [text]))
    .rowCount;

/** Distributes, and starts an instance while that has locked the tables and not ended yet. */
async function startWhileDistributing(env: { DATABASE_URL: string }) {
  const holder = new Session({ connectionString: url });
  await holder.connect();
  await holder.query('begin; lock table plans in access exclusive mode');
  const distributing = cli(['cluster', 'distribute', '--shards', '8', '--yes'], env);
  await until(async () => (await waiting('%')) === 1);
  const starting = Service.start(env.DATABASE_URL);
  await until(async () => (await waiting('lock table win_tags%')) === 1);
  await holder.end();
  return { distributed: await distributing, early: await starting };
}

describe('The command "cluster distribute"', () => {
  it('spreads tables with what they have, once', async () => {
    const env = { DATABASE_URL: url };
    expect(await cli(['migration', 'run'], env)).toMatchObject({ code: 0 });
    const before = await startApp({ DATABASE_URL: url });
    const writers = await Promise.all(Array.from({ length: USERS }, () => WinWriter.create(before)));
    for (const writer of writers) await writer.record();
    expect(await cli(['cluster', 'distribute', '--yes'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Stop the service first'),
    });
    const lists = await Promise.all(writers.map(({ person }) => before.as(person).get('/api/v1/wins')));
    await before.close();

    expect(await cli(['cluster', 'status'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The tables are not spread'),
    });
    const { distributed, early } = await startWhileDistributing(env);
    expect(distributed).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`wins: ${USERS} rows`),
      stdout: expect.stringContaining('The tables are spread'),
    });
    expect(await cli(['cluster', 'distribute', '--yes'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('already'),
    });
    const status = await cli(['cluster', 'status', '--json'], env);
    const found = JSON.parse(status.stdout) as { node: string; shards: number }[];
    expect(found).toHaveLength(nodes.length);
    expect(found.filter(({ shards }) => shards > 2)).toHaveLength(nodes.length - 1);
    // A migration runs there as it does elsewhere, and what is different on a cluster is kept.
    for (const command of [['revert', '--yes'], ['run'], ['run']]) {
      expect(await cli(['migration', ...command], env)).toMatchObject({ code: 0 });
    }
    const { rows: planned } = await session.query(
      `select proname from pg_proc where proconfig::text like '%plan_cache_mode%'`,
    );
    expect(planned).toEqual([]);

    app = await startApp({ DATABASE_URL: url });
    for (const [n, writer] of writers.entries()) {
      expect((await app.as(writer.person).get('/api/v1/wins')).body).toEqual(lists[n]!.body);
      for (const by of [new Client(early.url, writer.person.token), app.as(writer.person)]) {
        writer.app = { as: () => by, dataSource: app.dataSource };
        expect((await writer.record()).status).toBe(201);
      }
      expect(await writer.faults()).toEqual([]);
    }
    await early.stop();
  }, 120_000);

  it('keeps emails unique over all users', async () => {
    const email = `${randomUUID()}@Example.com`;
    const create = (given: string) =>
      app.make.auth.createUser(given, 'free').then(
        () => 'created',
        () => 'refused',
      );
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, n) => create(n % 2 ? email : email.toLowerCase())),
    );
    expect(results.filter((result) => result === 'created')).toHaveLength(1);
    await app.make.auth.deleteUser(email);
    expect(await create(email)).toBe('created');
  });

  it('frees an email whose user is gone, but not one whose user may be about to come', async () => {
    const claim = 'insert into emails (email, user_id, claimed_at) values ($1, 67108864, $2)';
    await session.query(claim, ['coming@example.com', new Date()]);
    await session.query(claim, ['gone@example.com', new Date(Date.now() - 3_600_000)]);
    await expect(app.make.auth.createUser('coming@example.com', 'free')).rejects.toThrow();
    expect(await app.make.auth.createUser('gone@example.com', 'free')).toMatchObject({ email: 'gone@example.com' });
  });
});

describe('An instance that uses a machine other than the coordinator', () => {
  it('does the same, at the same time', async () => {
    // In a process of its own: passport knows one way to sign in for all apps of a process.
    const port = await freePort();
    const env = { DATABASE_URL: databaseAt(nodes[1]!, name), PORT: String(port), RATE_LIMIT_PER_MINUTE: '0' };
    const service = await startBuilt(env);
    const base = `http://127.0.0.1:${port}`;
    const there = { as: (person?: Person) => new Client(base, person?.token), dataSource: app.dataSource };
    try {
      await until(
        () =>
          fetch(`${base}/healthz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        30_000,
      );
      const writers = await Promise.all(Array.from({ length: USERS }, () => WinWriter.create(app)));
      for (let round = 0; round < 6; round++) {
        for (const writer of writers) writer.app = round % 2 === 0 ? there : app;
        await Promise.all(writers.map((writer) => writer.record()));
      }
      for (const writer of writers) {
        expect(writer.refused).toEqual([]);
        expect(await writer.faults()).toEqual([]);
      }
    } finally {
      await service.stop();
    }
  });
});

describe('A cluster under load', () => {
  it('loses a machine: its users get 503, all others go on, and afterwards everything is there', async () => {
    const writers = await Promise.all(Array.from({ length: USERS }, () => WinWriter.create(app)));
    const lost = await machineOf(writers[0]!.person);
    const onLost = await Promise.all(writers.map(async ({ person }) => (await machineOf(person)) === lost));
    const ended = new AbortController();
    const load = Promise.all(writers.map((writer) => writer.recordUntil(ended.signal)));
    await until(() => writers.every(({ recorded }) => recorded.length > 2));
    await lost.kill();
    const before = writers.map(({ recorded }) => recorded.length);
    await until(() =>
      writers.every(({ recorded, refused }, n) => (onLost[n] ? refused.length > 2 : recorded.length > before[n]! + 5)),
    );
    await lost.start();
    const after = writers.map(({ recorded }) => recorded.length);
    await until(() => writers.every(({ recorded }, n) => recorded.length > after[n]! + 2), 30_000);
    ended.abort();
    await load;
    for (const [n, writer] of writers.entries()) {
      expect(writer.refused.filter((status) => status !== 503)).toEqual([]);
      if (!onLost[n]) expect(writer.refused).toEqual([]);
      expect(await writer.faults()).toEqual([]);
    }
  }, 120_000);

  it('moves the rows of a user to another machine: nobody fails but for a lock, and a revoked token is refused there', async () => {
    const writers = await Promise.all(Array.from({ length: 4 }, () => WinWriter.create(app)));
    const moved = writers[0]!;
    const from = await machineOf(moved.person);
    const to = machines.slice(1).find((machine) => machine !== from)!;
    const ended = new AbortController();
    const load = Promise.all(writers.map((writer) => writer.recordUntil(ended.signal)));
    await until(() => writers.every(({ recorded }) => recorded.length > 2));
    // On a connection of its own: those of the other session to the machine that was lost are gone.
    await queryOnce(
      url,
      `select citus_move_shard_placement(get_shard_id_for_distribution_column('users', $1::bigint), '127.0.0.1', $2, '127.0.0.1', $3,
         shard_transfer_mode => 'force_logical')`,
      [moved.person.id, from.port, to.port],
    );
    expect(await machineOf(moved.person)).toBe(to);
    const { length } = moved.recorded;
    await until(() => moved.recorded.length > length + 3);
    ended.abort();
    await load;
    for (const writer of writers) {
      expect(writer.refused.filter((status) => status !== 503)).toEqual([]);
      expect(await writer.faults()).toEqual([]);
    }
    const list = () => app.as(moved.person).get('/api/v1/tokens');
    expect((await list()).status).toBe(200);
    await app.dataSource.query('delete from api_tokens where user_id = $1', [moved.person.id]);
    await sleep(1_000);
    expect((await list()).status).toBe(401);
  }, 120_000);
});
