import { Database } from '../harness/database.js';
import { Service } from '../harness/processes.js';
import { until } from '../harness/until.js';
import { Load } from '../harness/load.js';
import { PostgresServer } from '../harness/postgres-server.js';
import { expectRefused, Workshop } from '../harness/processes.js';
import { Relay } from '../harness/relay.js';

/** Needs the programs of PostgreSQL 15. */

/** Milliseconds in which writes work again. */
const BOUND = 2_000;

const workshop = new Workshop();
let primary: PostgresServer;
let standby: PostgresServer;
/** The address of the database. */
let address: Relay;

beforeAll(async () => {
  primary = await PostgresServer.start();
  standby = await PostgresServer.standbyOf(primary);
  address = await Relay.start(primary.url);
});
afterAll(async () => {
  await workshop.clean();
  await address?.stop();
  await Promise.all([primary?.remove(), standby?.remove()]);
});

const ready = (service: Service) => service.call('GET', '/readyz').then(({ status }) => status);

it('is a 503 while only a standby is reached, and over within 2 s of the return of the primary', async () => {
  const service = await Service.start(address.url);
  try {
    const database = new Database(primary.url);
    const load = await Load.prepare(service.url, database);
    load.start();
    await until(() => load.good > 30);
    address.lead(standby.url);
    await until(async () => (await ready(service)) === 503);
    const before = load.good;
    const refused = load.count(503);
    await until(() => load.count(503) > refused + 20);
    expect(load.good).toBe(before);
    expect(await ready(service)).toBe(503);
    expect(service.output).toContain('read-only standby');

    address.lead(primary.url);
    const back = performance.now();
    await until(() => load.good > before + 30);
    await load.stop();
    expect(load.wrong).toEqual([]);
    expect(load.lastBad - back).toBeLessThan(BOUND);
    expect(await load.faults(database)).toEqual([]);
    expect(await ready(service)).toBe(200);
  } finally {
    await service.stop('SIGKILL');
  }
});

it('refuses to start on a standby, in one line', async () => {
  expectRefused(await workshop.failToServe({ DATABASE_URL: standby.url, NODE_ENV: 'production' }), /read-only standby/);
});

it('loses no acknowledged write where a synchronous standby takes over, and the other way round', async () => {
  await primary.query(`alter system set synchronous_standby_names = '*'`);
  await primary.query('select pg_reload_conf()');
  const service = await Service.start(address.url);
  try {
    const load = await Load.prepare(service.url, new Database(primary.url));
    for (let turn = 0; turn < 2; turn++) {
      const isReplicated = async () =>
        (await primary.query(`select from pg_stat_replication where sync_state = 'sync'`)).length === 1;
      await until(isReplicated);
      const before = load.good;
      load.start();
      await until(() => load.good > before + 30);
      await primary.shutDown('immediate');
      await standby.promote();
      await standby.query('alter system reset synchronous_standby_names');
      await standby.query('select pg_reload_conf()');
      address.lead(standby.url);
      const goodBefore = load.good;
      await until(() => load.good > goodBefore + 30);
      await load.stop();
      expect(load.wrong).toEqual([]);
      expect(await load.faults(new Database(standby.url))).toEqual([]);
      await primary.remove();
      primary = standby;
      standby = await PostgresServer.standbyOf(primary);
      await primary.query(`alter system set synchronous_standby_names = '*'`);
      await primary.query('select pg_reload_conf()');
    }
  } finally {
    await service.stop('SIGKILL');
  }
});
