import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/database/database.js';
import { Balancer } from '../harness/balancer.js';
import { Database } from '../harness/database.js';
import { errors } from '../harness/errors.js';
import type { Person } from '../harness/factories.js';
import { Load } from '../harness/load.js';
import { freePort } from '../harness/ports.js';
import { PRODUCTION, Service } from '../harness/processes.js';
import { Relay } from '../harness/relay.js';
import { until } from '../harness/until.js';

/** Milliseconds that are far from the grace period of 10 s. */
const SOON = 4_000;

const server = new Database(process.env.TEST_DATABASE_URL!);
const name = `wins_shutdown_${randomBytes(8).toString('hex')}`;
const database = new Database(new URL(`/${name}`, server.url).href);
const cleaning: (() => unknown)[] = [];
let ann: Person;

/** While a session holds it, spaces called `Late` are not stored; unlike a row, it is not waited for 3 s only. */
const GATE = 42;

beforeAll(async () => {
  await server.query(`create database ${name} encoding 'UTF8' template template0`);
  await (await openDatabase(loadConfig({ DATABASE_URL: database.url }))).close();
  await database.query(`
    create function wait_for_gate() returns trigger language plpgsql as $$ begin
      while not pg_try_advisory_xact_lock_shared(${GATE}) loop perform pg_sleep(0.02); end loop;
      return new;
    end $$;
    create trigger wait_for_gate before insert on spaces for each row when (new.name = 'Late')
      execute function wait_for_gate()`);
});
afterAll(() => server.query(`drop database ${name} with (force)`));
beforeEach(async () => {
  ann = await database.person();
});
afterEach(async () => {
  for (const clean of cleaning.splice(0).toReversed()) await clean();
});

async function serve(env: NodeJS.ProcessEnv = {}, url = database.url, port?: number): Promise<Service> {
  const service = new Service(port ?? (await freePort()), {
    ...PRODUCTION,
    DATABASE_URL: url,
    LOG_LEVEL: 'info',
    ...env,
  });
  cleaning.push(() => service.stop('SIGKILL'));
  await service.ready();
  return service;
}

/** Keeps spaces called `Late` waiting. @returns lets them through */
async function closeGate(): Promise<() => Promise<void>> {
  const session = await database.session();
  cleaning.push(() => session.end());
  await session.query(`select pg_advisory_lock(${GATE})`);
  return () => session.end();
}

/** An open connection to the service. */
async function open({ port }: Service): Promise<Socket & { received: string }> {
  const socket = Object.assign(connect(port, '127.0.0.1'), { received: '' });
  cleaning.push(() => socket.destroy());
  socket.setEncoding('utf8').on('data', (text: string) => (socket.received += text));
  socket.on('error', () => undefined);
  await new Promise((done) => socket.once('connect', done));
  return socket;
}

const get = (path: string, { token } = ann) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: keep-alive\r\n\r\n`;

const createSpace = (service: Service) =>
  service.call('POST', '/api/v1/spaces', { token: ann.token, json: { space: { name: 'Late' } } });

/** Until as many writes wait. */
const areWaiting = (count: number) =>
  until(async () => {
    const [row] = await database.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and state = 'active' and query like '%insert into spaces%' and pid <> pg_backend_pid()`,
    );
    return row!.n === count;
  });

const isStopping = (service: Service) => until(() => service.log.some(({ msg }) => msg === 'SIGTERM: stopping'));

const isRefused = ({ port }: Service) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.destroy() && done(false)).once('error', () => done(true));
  });

async function endOf(service: Service) {
  const start = performance.now();
  const ending = await service.ended;
  return { ...ending, took: performance.now() - start };
}

describe('SIGTERM', () => {
  it('finishes what is in flight, closes each connection and ends with code 0', async () => {
    const service = await serve();
    const openGate = await closeGate();
    const writes = [1, 2, 3].map(() => createSpace(service));
    const kept = await open(service);
    const bob = await database.person(); // whose reads wait for nobody's writes
    kept.write(get('/api/v1/tags', bob));
    await until(() => kept.received.endsWith('[]'));
    const unused = await open(service);
    const half = await open(service);
    const request = get('/api/v1/tags', bob);
    half.write(request.slice(0, 40));
    await areWaiting(2); // the third has its turn after them

    service.kill('SIGTERM');
    await isStopping(service);
    await until(() => isRefused(service));
    await until(() => kept.closed && unused.closed);
    half.write(request.slice(40));
    await until(() => half.received.endsWith('[]'));
    await openGate();
    for (const answer of await Promise.all(writes)) {
      expect(answer.status).toBe(201);
      expect(answer.headers.get('connection')).toBe('close');
    }
    expect(half.received).toMatch(/^HTTP\/1\.1 200 /);
    expect(half.received).toMatch(/\r\nconnection: close\r\n/i);
    const { code, took } = await endOf(service);
    expect(code).toBe(0);
    expect(took).toBeLessThan(SOON);
    expect(service.log.filter(({ level }) => level > 30)).toEqual([]);
  });

  it('turns /readyz to 503 first, and serves until the delay is over', async () => {
    const service = await serve({ SHUTDOWN_DELAY: '1500' });
    service.kill('SIGTERM');
    await isStopping(service);
    expect(await service.call('GET', '/readyz')).toEqual(errors.draining);
    expect(await service.call('GET', '/healthz')).toMatchObject({ status: 200 });
    const answer = await createSpace(service);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('connection')).toBe('close');
    const { code, took } = await endOf(service);
    expect(code).toBe(0);
    expect(took).toBeLessThan(SOON);
  });

  it('ends at once when it comes a second time', async () => {
    const service = await serve();
    const openGate = await closeGate();
    const write = createSpace(service).catch(() => 'cut');
    await areWaiting(1);
    service.kill('SIGTERM');
    await isStopping(service);
    const again = setInterval(() => service.kill('SIGTERM'), 50);
    const { code, took } = await endOf(service);
    clearInterval(again);
    await openGate();
    expect(await write).toBe('cut');
    expect(code).toBe(1);
    expect(took).toBeLessThan(2_000);
  });

  it('counts once when two processes pass on the same signal', async () => {
    const service = await serve();
    const openGate = await closeGate();
    const write = createSpace(service);
    await areWaiting(1);
    service.kill('SIGTERM');
    service.kill('SIGTERM');
    await isStopping(service);
    service.kill('SIGTERM');
    await openGate();
    expect((await write).status).toBe(201);
    expect((await endOf(service)).code).toBe(0);
  });

  it('ends a process that is still starting, with code 0', async () => {
    const migrating = await database.session();
    cleaning.push(() => migrating.end());
    await migrating.query('select pg_advisory_lock(7846301942)');
    const service = new Service(await freePort(), { ...PRODUCTION, DATABASE_URL: database.url });
    cleaning.push(() => service.stop('SIGKILL'));
    await until(async () => {
      const waiting = await database.query(
        `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
      );
      return waiting.length > 0;
    });
    service.kill('SIGTERM');
    const { code, took } = await endOf(service);
    expect({ code, output: service.output }).toEqual({ code: 0, output: '' });
    expect(took).toBeLessThan(SOON);
  });

  it('ends a process whose PostgreSQL hangs, with code 0', async () => {
    const relay = await Relay.start(database.url);
    cleaning.push(() => relay.stop());
    const service = await serve({}, relay.url);
    expect((await createSpace(service)).status).toBe(201);
    relay.isSilent = () => true;
    service.kill('SIGTERM');
    const { code, took } = await endOf(service);
    expect(code).toBe(0);
    expect(took).toBeLessThan(SOON);
  });
});

describe('a rolling restart behind a load balancer', () => {
  it('fails no request', async () => {
    const env = { SHUTDOWN_DELAY: '1000' };
    const instances = await Promise.all([serve(env), serve(env)]);
    const balancer = new Balancer(instances.map(({ url }) => url));
    await balancer.start();
    cleaning.push(() => balancer.stop());
    await until(() => instances.every(({ url }) => balancer.isUsed(url)));
    const load = await Load.prepare(balancer.url, database);
    load.start();
    cleaning.push(() => load.stop());
    for (const instance of instances) {
      const before = load.good;
      await until(() => load.good > before + 30);
      expect(await instance.stop()).toMatchObject({ code: 0, signal: null });
      await serve(env, database.url, instance.port);
      await until(() => balancer.isUsed(instance.url));
    }
    await load.stop();
    expect(load.wrong).toEqual([]);
    expect([...load.answers.keys()].toSorted()).toEqual([200, 201, 204]);
    expect(await load.faults(database)).toEqual([]);
  });
});

describe('an error that nobody catches', () => {
  it.each([
    ['thrown', `throw new Error('by nobody')`],
    ['a rejection', `Promise.reject(new Error('by nobody'))`],
  ])('ends the process with code 1 and a line in the log (%s)', async (_, fault) => {
    const preload = `process.on('SIGUSR2', () => { ${fault} })`;
    const service = await serve({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` });
    service.kill('SIGUSR2');
    expect((await endOf(service)).code).toBe(1);
    expect(service.log).toContainEqual(
      expect.objectContaining({ level: 60, err: expect.objectContaining({ message: 'by nobody' }) }),
    );
  });
});
