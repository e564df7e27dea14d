import { Client as Session } from 'pg';
import { Client } from '../harness/client.js';
import { Database } from '../harness/database.js';
import type { Person } from '../harness/factories.js';
import { freePort } from '../harness/ports.js';
import { PostgresServer } from '../harness/postgres-server.js';
import { Service } from '../harness/processes.js';
import { Relay } from '../harness/relay.js';
import { until } from '../harness/until.js';

/** Needs the programs of PostgreSQL 15. */

let primary: PostgresServer;
let standby: PostgresServer;
/** The address of the replica. */
let address: Relay;
/** Two instances, so that one reads what was written by the other. */
const services: Service[] = [];
let metricsPort: number;
let person: Person;
let spaceId: number;

beforeAll(async () => {
  primary = await PostgresServer.start();
  standby = await PostgresServer.standbyOf(primary);
  address = await Relay.start(standby.url);
  metricsPort = await freePort();
  const replica = { DATABASE_REPLICA_URL: address.url };
  services.push(await Service.start(primary.url, { ...replica, METRICS_PORT: String(metricsPort) }));
  services.push(await Service.start(primary.url, replica));
  person = await new Database(primary.url).person();
  const { body } = await client(1).post('/api/v1/spaces', { space: { name: 'Work' } });
  spaceId = (body as { id: number }).id;
});
afterAll(async () => {
  for (const service of services) await service.stop('SIGKILL');
  await address?.stop();
  await Promise.all([primary?.remove(), standby?.remove()]);
});

const client = (instance: number) => new Client(services[instance]!.url, person.token);

/** Reads of an instance, the first if omitted, that were sent to the replica, by how they ended. */
async function reads(port = metricsPort): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Object.fromEntries(
    [...text.matchAll(/^replica_reads_total\{result="(\w+)"\} (\d+)/gm)].map(([, result, count]) => [
      result,
      Number(count),
    ]),
  );
}

/** Records wins by one instance, and lists them by the other at once. @returns the lists that lacked the win */
async function writeAndRead(rounds: number): Promise<unknown[]> {
  const wrong = [];
  for (let n = 0; n < rounds; n++) {
    const win = { body: `Win ${n}`, space_id: spaceId };
    const { body } = await client(1).post('/api/v1/wins', { win });
    const list = await client(0).get('/api/v1/wins?per_page=1&sort=-created_at');
    const [newest] = list.body as unknown as { id: number }[];
    if (list.status !== 200 || newest?.id !== (body as { id: number }).id) wrong.push(list);
  }
  return wrong;
}

const list = async () => (await client(0).get('/api/v1/wins')).status;

it('serves long reads, and a user always sees what she wrote, by whichever instance', async () => {
  expect(await writeAndRead(50)).toEqual([]);
  await until(async () => {
    expect(await list()).toBe(200);
    return (await reads()).used! > 10;
  });
  const { used, failed } = await reads();
  expect(await client(0).get('/api/v1/wins/summary?by=month')).toMatchObject({ status: 200 });
  expect(await reads()).toMatchObject({ used: used! + 1, failed });
});

it('is not used while it is behind', async () => {
  await standby.query('select pg_wal_replay_pause()');
  const before = await reads();
  expect(await writeAndRead(20)).toEqual([]);
  expect(await reads()).toMatchObject({ used: before.used, behind: before.behind! + 20 });
  await standby.query('select pg_wal_replay_resume()');
  await until(async () => {
    await list();
    return (await reads()).used! > before.used!;
  });
});

it.each([
  ['hangs', () => (address.isSilent = () => true), () => (address.isSilent = () => false)],
  ['is gone', () => standby.shutDown('immediate'), () => standby.launch()],
])('costs no request when it %s, and is used again when it is back', async (_, lose, restore) => {
  const before = await reads();
  await lose();
  expect(await writeAndRead(20)).toEqual([]);
  expect(await Promise.all(Array.from({ length: 20 }, list))).toEqual(Array.from({ length: 20 }, () => 200));
  expect((await reads()).failed).toBeGreaterThan(before.failed!);
  await restore();
  await until(async () => {
    expect(await list()).toBe(200);
    return (await reads()).used! > before.used!;
  });
});

it('goes on for others beside one user with many searches, and rests when it accepts no sessions', async () => {
  const before = await reads();
  await Promise.all(Array.from({ length: 12 }, () => client(0).get('/api/v1/wins?q=win')));
  const other = new Client(services[0]!.url, (await new Database(primary.url).person()).token);
  const between = await reads();
  await until(async () => {
    expect((await other.get('/api/v1/wins')).status).toBe(200);
    return (await reads()).used! > between.used!;
  });
  expect((await reads()).failed).toBeLessThan(before.failed! + 12);

  await standby.shutDown();
  await standby.launch({ hot_standby: 'off' });
  const refused = await reads();
  for (let n = 0; n < 20; n++) expect(await list()).toBe(200);
  expect((await reads()).failed! - refused.failed!).toBeLessThan(10);
  await standby.shutDown();
  await standby.launch();
  await until(async () => {
    await list();
    return (await reads()).used! > refused.used!;
  });
});

/** An instance of its own with this replica, for one check. */
async function withReplica(
  url: string,
  check: (service: Service, isUsed: () => Promise<boolean>) => Promise<void>,
  databaseUrl = primary.url,
) {
  const port = await freePort();
  const service = await Service.start(databaseUrl, { DATABASE_REPLICA_URL: url, METRICS_PORT: String(port) });
  const isUsed = async () => {
    expect((await new Client(service.url, person.token).get('/api/v1/wins')).status).toBe(200);
    const { used } = await reads(port);
    expect(used).toEqual(expect.any(Number));
    return used! > 0;
  };
  try {
    await check(service, isUsed);
  } finally {
    await service.stop('SIGKILL');
  }
}

it('may come later than the service', async () => {
  const late = await Relay.start(standby.url);
  late.lead('postgres://127.0.0.1:1/nowhere');
  await withReplica(late.url, async (service, isUsed) => {
    expect(await isUsed()).toBe(false);
    await until(() => service.output.includes('The replica is not used for now'));
    late.lead(standby.url);
    await until(isUsed);
    await until(() => service.output.includes('The replica is used again'));
  });
  await late.stop();
});

it('serves a read that a lock holds up there', async () => {
  await withReplica(standby.url, async (_, isUsed) => {
    await until(isUsed);
    const session = new Session({ connectionString: primary.url });
    await session.connect();
    await session.query('begin; lock table wins in access exclusive mode');
    const locks = `select from pg_locks where mode = 'AccessExclusiveLock' and relation = 'wins'::regclass`;
    await until(async () => (await standby.query(locks)).length > 0);
    await standby.query('select pg_wal_replay_pause()');
    await session.query('commit');
    await session.end();
    expect((await client(0).get('/api/v1/wins/summary?by=month')).status).toBe(200);
    await standby.query('select pg_wal_replay_resume()');
  });
});

it('is not used if it is another database', async () => {
  await primary.query('create database other');
  const other = Object.assign(new URL(primary.url), { pathname: '/other' }).href;
  await (await Service.start(other)).stop();
  await withReplica(other, async (service, isUsed) => {
    expect(await isUsed()).toBe(false);
    await until(() => service.output.includes('does not follow the one of DATABASE_URL'));
  });
});

it('is not used if it stayed on the timeline before a failover', async () => {
  const [next, stray] = [await PostgresServer.standbyOf(primary), await PostgresServer.standbyOf(primary)];
  try {
    await next.promote();
    const check = async (service: Service, isUsed: () => Promise<boolean>) => {
      const own = new Client(service.url, person.token);
      for (let n = 0; n < 5; n++) {
        expect((await own.post('/api/v1/wins', { win: { body: 'After', space_id: spaceId } })).status).toBe(201);
        expect((await own.get('/api/v1/wins?per_page=1&sort=-created_at')).body).toMatchObject([{ body: 'After' }]);
      }
      expect(await isUsed()).toBe(false);
    };
    await withReplica(stray.url, check, next.url);
  } finally {
    await Promise.all([next.remove(), stray.remove()]);
  }
});
