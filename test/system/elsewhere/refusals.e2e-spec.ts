import { Database } from '../../harness/database.js';
import { errors } from '../../harness/errors.js';
import type { Person } from '../../harness/factories.js';
import { Workshop, type Service } from '../../harness/processes.js';
import { Relay } from '../../harness/relay.js';
import { until } from '../../harness/until.js';

/** What PostgreSQL refuses, and what is lost on the way from it, on the built service. */

const workshop = new Workshop();
let url: string;
let database: Database;
let server: Service;
let ann: Person;

beforeAll(async () => {
  ({ url } = await workshop.database());
  server = await workshop.serve({
    DATABASE_URL: url,
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
    RATE_LIMIT_PER_MINUTE: '0',
  });
  database = new Database(url);
});
afterAll(() => workshop.clean());
beforeEach(async () => {
  ann = await database.person();
});

const statuses = (answers: { status: number }[]) => [...new Set(answers.map(({ status }) => status))];
const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

it('what constraints refuse is told without prepared statements too', async () => {
  const off = await workshop.serve({
    DATABASE_URL: url,
    PREPARED_STATEMENTS: 'off',
    LOG_LEVEL: 'silent',
    NODE_ENV: 'test',
    RATE_LIMIT_PER_MINUTE: '0',
  });
  const { token } = await database.person('free');
  const tag = { tag: { name: 'Twice' } };
  expect((await off.call('POST', '/api/v1/tags', { token, json: tag })).status).toBe(201);
  expect((await off.call('POST', '/api/v1/tags', { token, json: tag })).status).toBe(422);
  const answers = await times(200, () =>
    off.call('POST', '/api/v1/spaces', { token, json: { space: { name: 'Space' } } }),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect([count(201), count(402)]).toEqual([3, 197]);
  await off.stop();
});

describe('A table that someone else has locked', () => {
  it('is a 503 for every read at once, and is forgotten once released', async () => {
    const other = await database.session();
    await other.query('begin');
    await other.query('lock table tags in access exclusive mode');
    const answers = await times(20, () => server.call('GET', '/api/v1/tags', { token: ann.token }));
    expect(statuses(answers)).toEqual([503]);
    await other.end();
    expect(statuses(await times(20, () => server.call('GET', '/api/v1/tags', { token: ann.token })))).toEqual([200]);
  });
});

describe('Sessions that are ended or cancelled by an administrator', () => {
  it('are a 503 at worst, and soon forgotten', async () => {
    const over = new AbortController();
    const seen = new Set<number>();
    const load = times(8, async (n) => {
      for (let i = 0; !over.signal.aborted; i++) {
        const tag = { tag: { name: `${n}-${i}` } };
        const made = await server.call('POST', '/api/v1/tags', { token: ann.token, json: tag });
        seen.add(made.status).add((await server.call('GET', '/api/v1/tags', { token: ann.token })).status);
      }
    });
    for (let round = 0; round < 10; round++) {
      for (const end of ['pg_cancel_backend', 'pg_terminate_backend']) {
        await database.query(
          `select ${end}(pid) from pg_stat_activity where application_name = 'wins-tracker' and datname = current_database()`,
        );
      }
      await database.query('drop index idx_tags_name');
      await database.query('create index idx_tags_name on tags (user_id, name)');
    }
    over.abort();
    await load;
    expect([...seen].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    await until(async () => (await server.call('GET', '/api/v1/tags', { token: ann.token })).status === 200);
  });
});

describe('The answer to a write that is lost on the way', () => {
  it('is a 503 that does not promise that nothing was written; one that was never sent is', async () => {
    const relay = await Relay.start(url);
    const distant = await workshop.serve({ DATABASE_URL: relay.url, LOG_LEVEL: 'silent', NODE_ENV: 'production' });
    try {
      expect((await distant.call('GET', '/api/v1/tags', { token: ann.token })).status).toBe(200);
      relay.rewrite = (answer, { near, far, listens }) => {
        if (listens || !answer.includes('INSERT 0 1')) return answer;
        near.destroy();
        far.destroy();
        return Buffer.alloc(0);
      };
      const answer = await distant.call('POST', '/api/v1/tags', { token: ann.token, json: { tag: { name: 'Lost' } } });
      expect(answer).toEqual(errors.maybeDone);
      relay.rewrite = (same) => same;
      expect(await database.query('select name from tags where user_id = $1', [ann.id])).toEqual([{ name: 'Lost' }]);

      relay.isRefusing = true;
      for (const link of relay.links) link.near.destroy();
      await until(async () => {
        const refused = await distant.call('POST', '/api/v1/tags', {
          token: ann.token,
          json: { tag: { name: 'Refused' } },
        });
        return refused.status === 503 && refused.body.error === UNCHANGED;
      });
      relay.isRefusing = false;
      await until(async () => (await distant.call('GET', '/api/v1/tags', { token: ann.token })).status === 200);
      expect(await database.query('select name from tags where user_id = $1', [ann.id])).toEqual([{ name: 'Lost' }]);
    } finally {
      await distant.stop();
      await relay.stop();
    }
  });
});

const UNCHANGED = 'The service is temporarily unavailable; nothing was changed';
