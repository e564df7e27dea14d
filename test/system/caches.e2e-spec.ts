import type { DataSource } from 'typeorm';
import type { Factory, Person } from '../harness/factories.js';
import { Workshop, type Service } from '../harness/processes.js';
import { Relay } from '../harness/relay.js';
import { until } from '../harness/until.js';

/** Whoever is known by a token is remembered; these are the ways in which that could outlast the token. */

const workshop = new Workshop();
let url: string;
let dataSource: DataSource;
let make: Factory;
let close: () => Promise<void>;

beforeAll(async () => {
  const migrated = await workshop.migrated();
  ({ url, make } = migrated);
  ({ dataSource, close } = migrated.database);
});
afterAll(async () => {
  await close();
  await workshop.clean();
});

/** Instances are processes: what they share would be shared by the modules of one process too. */
const serve = (settings: NodeJS.ProcessEnv = {}) =>
  workshop.serve({
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '0',
    DATABASE_URL: url,
    ...settings,
  });

const statusOf = async (server: Service, { token }: Person, method = 'GET') =>
  (await server.call(method, '/api/v1/tags', { token, json: method === 'POST' ? { tag: {} } : undefined })).status;

/** Asks until the token is not looked up any more: it is good even while nobody can read the table of tokens. */
async function isRemembered(server: Service, person: Person): Promise<void> {
  await until(async () => {
    expect(await statusOf(server, person)).toBe(200);
    return (await statusOfUnread(server, person)) === 200;
  }, 30_000);
}

function statusOfUnread(server: Service, person: Person): Promise<number> {
  return dataSource.transaction(async (outside) => {
    await outside.query('lock table api_tokens in access exclusive mode');
    return statusOf(server, person);
  });
}

describe('a token that was changed by SQL', () => {
  let instances: [Service, Service];
  beforeAll(async () => {
    instances = [await serve(), await serve()];
  });

  it.each([
    ['its scope was lowered', `update api_tokens set scope = 'read' where user_id = $1`, 'POST', 403],
    ['it has expired', `update api_tokens set expires_at = now() where user_id = $1`, 'GET', 401],
    ['it stands for another secret', `update api_tokens set digest = sha256(digest) where user_id = $1`, 'GET', 401],
    ['it was deleted', `delete from api_tokens where user_id = $1`, 'GET', 401],
    ['its user was deleted', `delete from users where id = $1`, 'GET', 401],
  ])('is that on every instance as soon as %s', async (_, change, method, status) => {
    const ann = await make.person();
    for (const server of instances) await isRemembered(server, ann);
    for (const server of instances) expect(await statusOf(server, ann, 'POST')).toBe(422);
    await dataSource.query(change, [ann.id]);
    for (const server of instances) await until(async () => (await statusOf(server, ann, method)) === status);
  });

  it.each(['truncate api_tokens', 'truncate users cascade'])(
    'is refused by every instance after "%s"',
    async (change) => {
      const [ann, bob] = [await make.person(), await make.person()];
      for (const server of instances) {
        await isRemembered(server, ann);
        await isRemembered(server, bob);
      }
      await dataSource.query(change);
      for (const server of instances) {
        for (const person of [ann, bob]) await until(async () => (await statusOf(server, person)) === 401, 2_000);
      }
    },
  );

  it('may do more at once when its scope was raised', async () => {
    const [server] = instances;
    const ann = await make.person({ scope: 'read' });
    await isRemembered(server, ann);
    expect(await statusOf(server, ann, 'POST')).toBe(403);
    await dataSource.query(`update api_tokens set scope = 'write' where user_id = $1`, [ann.id]);
    await until(async () => (await statusOf(server, ann, 'POST')) === 422);
  });

  it('is looked up anew, and nobody else is forgotten', async () => {
    const [server] = instances;
    const [ann, bob] = [await make.person(), await make.person()];
    await isRemembered(server, ann);
    await isRemembered(server, bob);
    await dataSource.query(`update api_tokens set name = 'New' where user_id = $1`, [ann.id]);
    await isRemembered(server, ann);
    expect(await statusOfUnread(server, bob)).toBe(200);
  });
});

describe('where no notification ever comes through', () => {
  it('nobody is remembered: a revoked token is refused at once', async () => {
    const relay = await Relay.start(url);
    relay.rewrite = withoutNotifications;
    const server = await serve({ DATABASE_URL: relay.url });
    // Long enough for a listener that believes the connection to have begun trusting it.
    await until(() => [...relay.links].some(({ listens }) => listens));
    for (let n = 0; n < 30; n++) {
      const person = await make.person();
      expect(await statusOf(server, person)).toBe(200);
      expect(await statusOf(server, person)).toBe(200);
      await dataSource.query('delete from api_tokens where user_id = $1', [person.id]);
      expect(await statusOf(server, person)).toBe(401);
    }
    await server.stop();
    await relay.stop();
  });
});

describe('a token that is revoked while it is looked up', () => {
  it('is refused afterwards', async () => {
    // Shared sessions would hold up the other caller too.
    const server = await serve({ PREPARED_STATEMENTS: 'off' });
    const [ann, bob] = [await make.person(), await make.person()];
    await isRemembered(server, bob);
    // The row of the one user is read as of the statement's beginning, and passed on once the gate opens.
    await dataSource.query(`
      create table gate (is_open boolean);
      insert into gate values (false);
      alter table api_tokens rename to tokens_behind_gate;
      create function pass_gate() returns boolean language plpgsql volatile as $$ begin
        while not exists (select from gate where is_open) loop perform pg_sleep(0.02); end loop;
        return true;
      end $$;
      create view api_tokens as select * from tokens_behind_gate where user_id <> ${ann.id} or pass_gate()`);
    const early = statusOf(server, ann);
    await until(async () => {
      const waiting = await dataSource.query(
        `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      );
      return waiting.length > 0;
    });
    await dataSource.query('delete from tokens_behind_gate where user_id in ($1, $2)', [ann.id, bob.id]);
    await until(async () => (await statusOf(server, bob)) === 401); // so it was heard
    await dataSource.query('update gate set is_open = true');
    expect(await early).toBe(200);
    for (let n = 0; n < 3; n++) expect(await statusOf(server, ann)).toBe(401);
  });
});

/** Takes the notifications out of what PostgreSQL sends: messages of a type, a length and so many bytes. */
function withoutNotifications(sent: Buffer): Buffer {
  const kept: Buffer[] = [];
  let at = 0;
  while (at + 5 <= sent.length) {
    const end = at + 1 + sent.readInt32BE(at + 1);
    if (sent[at] !== 'A'.charCodeAt(0)) kept.push(sent.subarray(at, end));
    at = end;
  }
  return Buffer.concat([...kept, sent.subarray(Math.min(at, sent.length))]);
}
