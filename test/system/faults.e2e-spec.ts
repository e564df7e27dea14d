import { setTimeout as sleep } from 'node:timers/promises';
import { Postgres } from '../harness/database.js';
import { errors } from '../harness/errors.js';
import type { Person } from '../harness/factories.js';
import { Load } from '../harness/load.js';
import { PRODUCTION, Service } from '../harness/processes.js';
import { Relay } from '../harness/relay.js';
import { until } from '../harness/until.js';

const STATEMENT_TIMEOUT = 800;

/** As few as can be told apart from the number of requests. */
const POOL_SIZE = 4;

let postgres: Postgres;
/** Stands between PostgreSQL and `distant`. */
let relay: Relay;
let service: Service;
/** A second instance, whose statements have less time. */
let distant: Service;
let ann: Person;
let bob: Person;

beforeAll(async () => {
  postgres = await Postgres.start();
  // The service waits for a row for 3 s: a deadlock has to be found before, and after the other side has come to wait.
  await postgres.query(`alter database postgres set deadlock_timeout = '1500ms'`);
  relay = await Relay.start(postgres.url);
  service = await Service.start(postgres.url, { DATABASE_POOL_SIZE: String(POOL_SIZE) });
  distant = await Service.start(relay.url, {
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    STATEMENT_TIMEOUT: String(STATEMENT_TIMEOUT),
  });
});
afterAll(async () => {
  await Promise.all([service?.stop('SIGKILL'), distant?.stop('SIGKILL')]);
  await relay?.stop();
  await postgres?.remove();
});
beforeEach(async () => {
  [ann, bob] = await Promise.all([postgres.person(), postgres.person()]);
});

const as = ({ token }: Pick<Person, 'token'>, json?: unknown) => ({ token, json });

const createSpace = async (person: Person, name = 'Space') => {
  const { body } = await service.call('POST', '/api/v1/spaces', as(person, { space: { name } }));
  return (body as { id: number }).id;
};

const createWin = async (person: Person, spaceId: number) => {
  const win = { body: 'Win', space_id: spaceId, tag_names: ['a', 'b'] };
  const { body } = await service.call('POST', '/api/v1/wins', as(person, { win }));
  return (body as { id: number }).id;
};

/** Sessions of the service, without those that only listen. */
const sessions = (condition: string) =>
  postgres.query(
    `select pid, state, query from pg_stat_activity
     where application_name = 'wins-tracker' and query not in ('select 1', 'listen "api_tokens"') and (${condition})`,
  );

/** Waits until a session of the service waits for what someone else holds. */
const isBlocked = () => until(async () => (await sessions(`wait_event_type = 'Lock'`)).length > 0);

/** What PostgreSQL sends when it ends a session. */
function fatalError(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0Mterminating connection\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

async function send(...[method, path, request]: Parameters<Service['call']>): Promise<number> {
  return service.call(method, path, request).then(
    ({ status }) => status,
    () => 0,
  );
}

/** The sessions that listen. */
const listeners = () =>
  postgres.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'wins-tracker listener' and query like 'listen %'`,
  );

async function bothAccept(token: string): Promise<void> {
  for (const instance of [service, distant])
    expect(await instance.call('GET', '/api/v1/me', { token })).toMatchObject({ status: 200 });
}

async function timed<T>(work: Promise<T>): Promise<{ result: T; took: number }> {
  const start = performance.now();
  return { result: await work, took: performance.now() - start };
}

describe('PostgreSQL killed under load', () => {
  it('is a 503 until it is back, loses nothing that was acknowledged, and is over within 2 s', async () => {
    const load = await Load.prepare(service.url, postgres);
    load.start();
    await until(() => load.good > 50);
    await postgres.kill();
    await until(() => load.count(503) > 20);
    const goodBefore = load.good;
    expect(await service.call('GET', '/api/v1/tags', as(bob))).toEqual(errors.unavailable);
    expect(await service.call('GET', '/readyz')).toEqual(errors.unavailable);
    expect(await service.call('GET', '/healthz')).toMatchObject({ status: 200 });
    await postgres.restart();
    const back = performance.now();
    await until(() => load.good > goodBefore + 50);
    await load.stop();
    expect(load.wrong).toEqual([]);
    expect(load.count(0)).toBe(0);
    expect(load.lastBad - back).toBeLessThan(2_000);
    expect(await load.faults(postgres)).toEqual([]);
  });

  it('leaves one line in the log for each request that failed, and none that is not a line of the log', async () => {
    expect(service.output.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual([]);
    expect(new Set(service.log.map(({ msg }) => msg))).toEqual(new Set(['database unavailable']));
    expect(new Set(service.log.map(({ reqId }) => reqId)).size).toBe(service.log.length);
  });
});

describe('PostgreSQL killed during an export', () => {
  it('breaks the file off, so that nobody takes a part for the whole, and leaves room for the next', async () => {
    const space = await createSpace(ann);
    await postgres.query(
      `insert into wins (user_id, space_id, body, occurred_on)
       select ${ann.id}, ${space}, repeat('x', 10000), '2026-01-31' from generate_series(1, 1500)`,
    );
    const exported = () =>
      fetch(`${service.url}/api/v1/wins/export?format=csv`, { headers: { authorization: `Bearer ${ann.token}` } });
    const begun = await Promise.all([exported(), exported()]);
    expect(begun.map(({ status }) => status)).toEqual([200, 200]);
    await postgres.kill();
    const parts = await Promise.allSettled(begun.map((response) => response.text()));
    expect(parts.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await service.call('GET', '/api/v1/wins/export?format=csv', as(ann))).toEqual(errors.unavailable);
    expect(await service.call('GET', '/api/v1/wins/summary?by=month', as(ann))).toEqual(errors.unavailable);

    await postgres.restart();
    let whole = await exported();
    await until(async () => {
      if (whole.status !== 200) whole = await exported();
      return whole.status === 200;
    });
    expect((await whole.text()).split('\r\n')).toHaveLength(1_502); // with the names of the columns, and an end
    const counts = await service.call('GET', '/api/v1/wins/summary?by=month', as(ann));
    expect(counts.body).toEqual([{ key: '2026-01', wins_count: 1_500 }]);
  });
});

describe('the service killed under load', () => {
  it('loses nothing that was acknowledged and starts again', async () => {
    const victim = await Service.start(postgres.url);
    const load = await Load.prepare(victim.url, postgres);
    load.start();
    await until(() => load.good > 50);
    victim.kill('SIGKILL');
    await victim.ended;
    await until(() => load.count(0) > 10);
    const next = new Service(victim.port, { ...PRODUCTION, DATABASE_URL: postgres.url });
    try {
      const goodBefore = load.good;
      await next.ready();
      await until(() => load.good > goodBefore + 50);
      await load.stop();
      expect(load.wrong).toEqual([]);
      expect(await load.faults(postgres)).toEqual([]);
    } finally {
      await load.stop();
      await next.stop('SIGKILL');
    }
  });
});

describe('a row that someone else holds', () => {
  /** Milliseconds: 3 s each for the turn of the write, for those before it at the row and for the row, and some to spare. */
  const BOUND = 10_000;

  it('is a 503 after a bounded wait, does not concern other users, and is forgotten once released', async () => {
    const [blockedWin, freeWin] = await Promise.all(
      [ann, bob].map(async (person) => createWin(person, await createSpace(person))),
    );
    const row = await postgres.holding(ann);
    const blocked = Array.from({ length: 3 * POOL_SIZE }, (_, n) =>
      timed(
        n % 3 === 0
          ? service.call('PATCH', `/api/v1/wins/${blockedWin}`, as(ann, { win: { body: 'Blocked' } }))
          : service.call('POST', '/api/v1/spaces', as(ann, { space: { name: `Space ${n}` } })),
      ),
    );
    await isBlocked();
    for (const [method, path, fields] of [
      ['GET', '/api/v1/spaces'],
      ['POST', '/api/v1/spaces', { space: { name: 'Of someone else' } }],
      ['PATCH', `/api/v1/wins/${freeWin}`, { win: { tag_names: ['unhindered'] } }],
    ] as const) {
      const { result, took } = await timed(service.call(method, path, as(bob, fields)));
      expect(result.status).toBe(method === 'POST' ? 201 : 200);
      expect(took).toBeLessThan(1_000);
    }
    for (const { result, took } of await Promise.all(blocked)) {
      expect(result).toEqual(errors.unavailable);
      expect(result.headers.get('retry-after')).toBe('1');
      expect(took).toBeLessThan(BOUND);
    }
    await row.release();
    const { result, took } = await timed(
      service.call('POST', '/api/v1/spaces', as(ann, { space: { name: 'Released' } })),
    );
    expect(result.status).toBe(201);
    expect(took).toBeLessThan(1_000);
    expect(await sessions(`state <> 'idle'`)).toEqual([]);
  });
});

describe('a statement that runs too long', () => {
  it('is a 503 and leaves no session behind', async () => {
    await postgres.query(`
      create function dawdle() returns trigger language plpgsql as 'begin perform pg_sleep(20); return new; end';
      create trigger dawdle before insert on tags for each row when (new.name = 'Slow') execute function dawdle()`);
    const { result, took } = await timed(distant.call('POST', '/api/v1/tags', as(ann, { tag: { name: 'Slow' } })));
    expect(result).toEqual(errors.unavailable);
    expect(took).toBeGreaterThan(STATEMENT_TIMEOUT - 50);
    expect(took).toBeLessThan(STATEMENT_TIMEOUT + 1_000);
    expect(await sessions(`state <> 'idle'`)).toEqual([]);
    expect(await distant.call('POST', '/api/v1/tags', as(ann, { tag: { name: 'Fast' } }))).toMatchObject({
      status: 201,
    });
  });

  it('is a 503 within a bounded time where PostgreSQL does not say so either', async () => {
    const spaceId = await createSpace(ann);
    const winId = await createWin(ann, spaceId);
    for (const [refusal, ask] of [
      [errors.unavailable, () => distant.call('GET', '/api/v1/tags', as(ann))],
      [errors.maybeDone, () => distant.call('PATCH', `/api/v1/wins/${winId}`, as(ann, { win: { body: 'Changed' } }))],
    ] as const) {
      expect(await ask()).toMatchObject({ status: 200 });
      const lost = new Set(relay.links);
      relay.isSilent = (link) => lost.has(link);
      const { result, took } = await timed(ask());
      expect(result).toEqual(refusal);
      expect(took).toBeLessThan(STATEMENT_TIMEOUT + 5_000);
    }
    await until(async () => {
      const { status } = await distant.call('GET', '/api/v1/tags', as(ann));
      return status === 200;
    });
    relay.isSilent = () => false;
  });
});

describe('a connection that is lost between two statements of a transaction', () => {
  it('is a 503, and nothing is half-done', async () => {
    const spaceId = await createSpace(ann);
    const winId = await createWin(ann, spaceId);
    // PostgreSQL ends the session in the same breath in which it answers the first statement.
    relay.rewrite = (answer, { far }) => {
      if (!answer.includes('BEGIN') && !answer.includes('START TRANSACTION')) return answer;
      far.destroy();
      return Buffer.concat([answer, fatalError('57P01')]);
    };
    const answer = await distant.call('PATCH', `/api/v1/wins/${winId}`, as(ann, { win: { tag_names: [] } }));
    relay.rewrite = (same) => same;
    expect(answer).toEqual(errors.unavailable);
    const win = await distant.call('GET', `/api/v1/wins/${winId}`, as(ann));
    expect(win).toMatchObject({ body: { tags: [{ name: 'a' }, { name: 'b' }] } });
  });
});

describe('a writer outside who gets in the way', () => {
  it('is not seen by a client whose change was the victim of a deadlock', async () => {
    const winId = await createWin(ann, await createSpace(ann));
    const deadlocks = async () => {
      const [row] = await postgres.query<{ deadlocks: number }>(
        `select deadlocks::int from pg_stat_database where datname = current_database()`,
      );
      return row!.deadlocks;
    };
    const before = await deadlocks();
    const other = await postgres.session();
    await other.query(`set deadlock_timeout = '1min'`); // so that the service's session is the one that is ended
    await other.query('begin');
    await other.query('update tags set name = name where user_id = $1', [ann.id]);
    const change = service.call('PATCH', `/api/v1/wins/${winId}`, as(ann, { win: { tag_names: ['b', 'c'] } }));
    await isBlocked();
    await other.query('select from users where id = $1 for update', [ann.id]);
    await other.query('commit');
    await other.end();
    expect(await change).toMatchObject({ status: 200, body: { tags: [{ name: 'b' }, { name: 'c' }] } });
    await until(async () => (await deadlocks()) > before);
  });

  it('is not seen by a client whose change could not be serialized', async () => {
    const winId = await createWin(ann, await createSpace(ann));
    await postgres.query(`
      create sequence attempts;
      create function refuse_once() returns trigger language plpgsql as $$
      begin
        if nextval('attempts') = 1 then raise exception using errcode = 'serialization_failure'; end if;
        return new;
      end $$;
      create trigger refuse_once before update on wins for each row when (new.body = 'Again') execute function refuse_once()`);
    const change = await distant.call('PATCH', `/api/v1/wins/${winId}`, as(ann, { win: { body: 'Again' } }));
    expect(change).toMatchObject({ status: 200, body: { body: 'Again' } });
    expect(await postgres.query(`select last_value::int as attempts from attempts`)).toEqual([{ attempts: 2 }]);
  });
});

describe('200 requests that fail inside a transaction', () => {
  it('leave no session behind', async () => {
    const carl = await postgres.person('free');
    for (const name of ['One', 'Two', 'Three']) await createSpace(carl, name);
    const winId = await createWin(ann, await createSpace(ann));
    const failing: (() => Promise<number>)[] = [
      () => send('POST', '/api/v1/spaces', as(carl, { space: { name: 'Four' } })),
      () => send('PATCH', `/api/v1/wins/${winId}`, as(ann, { win: { space_id: 1, tag_names: ['z'] } })),
      () => send('POST', '/api/v1/tags', as(ann, { tag: { name: 'A' } })),
      () => {
        const signal = AbortSignal.timeout(1 + Math.floor(Math.random() * 5));
        return send('PATCH', `/api/v1/wins/${winId}`, { ...as(ann, { win: { tag_names: ['a', 'b'] } }), signal });
      },
    ];
    const expected = [[402], [422], [422], [0, 200]];
    for (let round = 0; round < 50; round += 5) {
      const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => failing[n % 4]!()));
      for (const [n, status] of statuses.entries()) expect(expected[n % 4]).toContain(status);
    }
    const { result, took } = await timed(service.call('GET', '/api/v1/tags', as(ann)));
    expect(result.headers.get('x-total-count')).toBe('2');
    expect(took).toBeLessThan(1_000);
    await until(async () => (await sessions(`state <> 'idle'`)).length === 0, 2_000);
    expect((await sessions('true')).length).toBeLessThanOrEqual(2 * POOL_SIZE);
  });
});

describe('a token that is no longer good', () => {
  /** Milliseconds after which no instance may take it. */
  const BOUND = 1_000;

  afterEach(() => {
    relay.isSilent = () => false;
  });

  it.each([
    ['', async () => {}],
    [
      ', also where the connections that listen were cut a moment before',
      async () => {
        const pids = (await listeners()).map(({ pid }) => pid);
        await postgres.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids]);
      },
    ],
    [
      ', also where the connection that listens hangs',
      async () => {
        relay.isSilent = ({ listens }) => listens;
      },
    ],
  ])('is refused by every instance within a second once it is revoked%s', async (_, disturb) => {
    await until(async () => (await listeners()).length === 2);
    await bothAccept(ann.token);
    const { body } = await service.call('GET', '/api/v1/tokens', as(ann));
    const [token] = body as { id: number }[];
    await disturb();
    const revoked = await service.call('DELETE', `/api/v1/tokens/${token!.id}`, as(ann));
    expect(revoked.status).toBe(204);
    await neitherAccepts(ann.token, performance.now());
  });

  it('is refused by every instance within a second once it has expired', async () => {
    const lifetime = 1_500;
    const end = performance.now() + lifetime;
    const token = await postgres.token(ann.id, new Date(Date.now() + lifetime));
    await bothAccept(token);
    await sleep(end - performance.now());
    await neitherAccepts(token, end);
  });

  it('is heard of over a new connection once the one that listened hangs', async () => {
    const before = new Set([...relay.links].filter(({ listens }) => listens));
    relay.isSilent = (link) => before.has(link);
    await until(() => [...relay.links].some((link) => link.listens && !before.has(link)), 5_000);
  });

  /** Asks both for a while. What is sent later than the bound allows has to be refused. @param since when it ended */
  async function neitherAccepts(token: string, since: number): Promise<void> {
    const late: number[] = [];
    await Promise.all(
      [service, distant].map(async (instance) => {
        let lateness = 0;
        while (lateness < BOUND + 500) {
          lateness = performance.now() - since;
          const { status } = await instance.call('GET', '/api/v1/me', { token });
          if (lateness > BOUND) late.push(status);
        }
      }),
    );
    expect(new Set(late)).toEqual(new Set([401]));
  }
});
