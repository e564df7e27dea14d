import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../../src/auth/limits.js';
import { Database } from '../../harness/database.js';
import type { Person } from '../../harness/factories.js';
import { Workshop, type Service } from '../../harness/processes.js';
import { until } from '../../harness/until.js';

/** What somebody with an account can try, on two built instances. */

import.meta.jest.setTimeout(300_000);

const workshop = new Workshop();
let database: Database;
let first: Service;
let second: Service;
let ann: Person;

beforeAll(async () => {
  const { url } = await workshop.database();
  const settings = { DATABASE_URL: url, LOG_LEVEL: 'error', NODE_ENV: 'production', RATE_LIMIT_PER_MINUTE: '0' };
  first = await workshop.serve(settings);
  second = await workshop.serve(settings);
  database = new Database(url);
});
afterAll(() => workshop.clean());
beforeEach(async () => {
  ann = await database.person();
});
/** Nothing that a client can do is a fault of the service. */
afterEach(() => {
  const log = first.stdout + second.stdout;
  if (log !== '') throw new Error(`The service logged a fault of its own:\n${log}`);
});

const api = ({ token }: Person, server = first) => {
  const call = (method: string, path: string, json?: unknown) =>
    server.call(method, `/api/v1/${path}`, { token, json });
  return {
    get: (path: string) => call('GET', path),
    post: (path: string, json: unknown) => call('POST', path, json),
    patch: (path: string, json: unknown) => call('PATCH', path, json),
    delete: (path: string) => call('DELETE', path),
  };
};
const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));
const statusesOf = (answers: { status: number }[]) => [...new Set(answers.map(({ status }) => status))].toSorted();
const spaceOf = async (person: Person): Promise<number> =>
  (await api(person).post('spaces', { space: { name: 'Home' } })).body.id;
describe('With as many tags as there may be', () => {
  it('all are listed once, in order, and renames and new spellings find their place', async () => {
    await database.query(`insert into tags (user_id, name) select $1, 'Tag ' || n from generate_series(1, $2::int) n`, [
      ann.id,
      LIMITS.tags,
    ]);
    const all = async () => {
      const pages = [];
      for (let page = 1; page <= LIMITS.tags / 100; page++)
        pages.push((await api(ann).get(`tags?per_page=100&page=${page}`)).body);
      return pages.flat() as { id: number; name: string }[];
    };
    const tags = await all();
    expect(new Set(tags.map(({ id }) => id)).size).toBe(LIMITS.tags);
    expect(new Set(tags.map(({ name }) => name)).size).toBe(LIMITS.tags);
    const [tag, next] = [tags[4_000]!, tags[4_001]!];
    expect(await api(ann).patch(`tags/${tag.id}`, { tag: { name: next.name.toUpperCase() } })).toMatchObject({
      status: 422,
    });
    expect(await api(ann).patch(`tags/${tag.id}`, { tag: { name: tag.name.toUpperCase() } })).toMatchObject({
      status: 200,
    });
    expect((await api(ann).post('tags', { tag: { name: 'One more' } })).body.details).toMatchObject([
      { code: 'limit_reached' },
    ]);
    expect((await api(ann).post('tags', { tag: { name: next.name.toUpperCase() } })).body.details).toMatchObject([
      { code: expect.stringMatching(/^(taken|limit_reached)$/) },
    ]);
    const space_id = await spaceOf(ann);
    const win = { body: 'x', space_id, tag_names: tags.slice(0, 50).map(({ name }) => name.toLowerCase()) };
    const made = await api(ann).post('wins', { win });
    expect([made.status, made.body.tags.length]).toEqual([201, 50]);
    expect(await all()).toHaveLength(LIMITS.tags);
    const deleted = await times(20, (n) => api(ann, n % 2 ? first : second).delete(`tags/${tags[n % 5]!.id}`));
    expect(deleted.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(204), ...Array(15).fill(404)]);
    expect((await api(ann).get('me')).body.limits.tags).toEqual({ max: LIMITS.tags, used: LIMITS.tags - 5 });
  });
});

describe('Tokens', () => {
  it('made and revoked by each other at once: none too many, and none that was revoked is good', async () => {
    for (let n = 1; n < LIMITS.tokens - 4; n++) await database.token(ann.id);
    const made: { id: number; token: string }[] = [];
    const revoked: string[] = [];
    const statuses = new Set<number>();
    await times(12, async (n) => {
      for (let round = 0; round < 8; round++) {
        const server = (n + round) % 2 ? first : second;
        const issued = await api(ann, server).post('tokens', { token: { name: 'x' } });
        statuses.add(issued.status);
        if (issued.status === 201) made.push(issued.body);
        const old = made.shift();
        if (old === undefined) continue;
        statuses.add((await api({ ...ann, token: old.token }, server).delete(`tokens/${old.id}`)).status);
        revoked.push(old.token);
      }
    });
    expect([...statuses].filter((status) => ![201, 204, 422].includes(status))).toEqual([]);
    const [{ count }] = (await database.query<{ count: number }>(
      'select count(*)::int from api_tokens where user_id = $1',
      [ann.id],
    )) as [{ count: number }];
    expect(count).toBeLessThanOrEqual(LIMITS.tokens);
    expect((await api(ann).get('me')).body.limits.tokens.used).toBe(count);
    await sleep(1_000);
    expect(revoked.length).toBeGreaterThan(10);
    for (const server of [first, second])
      expect(statusesOf(await Promise.all(revoked.map((token) => api({ ...ann, token }, server).get('me'))))).toEqual([
        401,
      ]);
  });

  it('revoked while a request of it is under way: that one is answered, the next is not', async () => {
    const space_id = await spaceOf(ann);
    for (const server of [first, second]) await until(async () => (await api(ann, server).get('me')).status === 200);
    const row = await database.holding(ann);
    const writing = api(ann).post('wins', { win: { body: 'x', space_id } });
    await until(
      async () =>
        (
          await database.query(
            `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          )
        ).length > 0,
    );
    await row.release();
    const [{ status }] = await Promise.all([
      writing,
      database.query('delete from api_tokens where user_id = $1', [ann.id]),
    ]);
    expect([201, 401]).toContain(status);
    for (const server of [first, second])
      await until(async () => (await api(ann, server).get('me')).status === 401, 2_000);
  });

  it('that have expired are listed, and may be revoked, but say nothing', async () => {
    const token = await database.token(ann.id, new Date(Date.now() - 1_000));
    expect((await api({ ...ann, token }).get('me')).status).toBe(401);
    const { body } = await api(ann).get('tokens');
    expect(body).toHaveLength(2);
    expect((await api(ann).delete(`tokens/${body[1].id}`)).status).toBe(204);
    expect((await api(ann).get('tokens')).body).toHaveLength(1);
  });
});

it('a user who is deleted while 40 requests are under way gets no 500', async () => {
  for (let round = 0; round < 4; round++) {
    const bob = await database.person();
    const space_id = await spaceOf(bob);
    const tag = (await api(bob).post('tags', { tag: { name: 'x' } })).body.id;
    const win = (await api(bob).post('wins', { win: { body: 'x', space_id } })).body.id;
    const calls = [
      () => api(bob).post('wins', { win: { body: 'x', space_id, tag_names: ['x', randomUUID().slice(0, 30)] } }),
      () => api(bob).patch(`wins/${win}`, { win: { tag_names: ['y', 'z'], body: 'new' } }),
      () => api(bob).post('tags', { tag: { name: randomUUID().slice(0, 30) } }),
      () => api(bob).patch(`tags/${tag}`, { tag: { name: 'X' } }),
      () => api(bob).post('spaces', { space: { name: 'x' } }),
      () => api(bob).patch(`spaces/${space_id}`, { space: { name: 'y', position: 3 } }),
      () => api(bob).post('tokens', { token: { name: 'x' } }),
      () => api(bob, second).get('me'),
      () => api(bob, second).get('wins?q=x'),
      () => api(bob, second).get('tokens'),
    ];
    const under = times(40, (n) => calls[n % calls.length]!());
    await database.query('delete from users where id = $1', [bob.id]);
    const statuses = statusesOf([...(await under), ...(await times(20, (n) => calls[n % calls.length]!()))]);
    expect(statuses.filter((status) => ![200, 201, 401, 404, 422, 503].includes(status))).toEqual([]);
    expect(statuses).toContain(401);
  }
});

it('a plan that is lowered while spaces are created: none beyond it afterwards', async () => {
  for (let round = 0; round < 5; round++) {
    const bob = await database.person();
    const creating = times(16, (n) => api(bob, n % 2 ? first : second).post('spaces', { space: { name: 'x' } }));
    await database.query(`update users set plan = 'free' where id = $1`, [bob.id]);
    const answers = await creating;
    expect(statusesOf(answers).filter((status) => ![201, 402].includes(status))).toEqual([]);
    const { body, headers } = await api(bob).get('spaces');
    expect(Number(headers.get('x-total-count'))).toBe(answers.filter(({ status }) => status === 201).length);
    expect((await api(bob).post('spaces', { space: { name: 'x' } })).status).toBe(body.length < 3 ? 201 : 402);
  }
});

describe('What belongs to another user', () => {
  it('is answered to the byte as what is not there at all, wherever an id is taken', async () => {
    const bob = await database.person();
    const theirs = {
      spaces: await spaceOf(bob),
      tags: (await api(bob).post('tags', { tag: { name: 'Secret' } })).body.id,
      tokens: (await api(bob).get('tokens')).body[0].id,
      wins: 0,
    };
    theirs.wins = (
      await api(bob).post('wins', { win: { body: 'x', space_id: theirs.spaces, tag_names: ['Secret'] } })
    ).body.id;
    const own = await spaceOf(ann);
    const { id: win } = (await api(ann).post('wins', { win: { body: 'x', space_id: own } })).body;
    const NOT_THERE = 999_999_999;
    const bodies = {
      spaces: { space: { name: 'y' } },
      tags: { tag: { name: 'y' } },
      wins: { win: { body: 'y', tag_names: ['Secret'] } },
    };
    const kinds = Object.keys(theirs) as (keyof typeof theirs)[];
    const asked = kinds.flatMap((kind) => {
      const places: [string, (id: number) => string, unknown?][] = [
        ['GET', (id) => `${kind}/${id}`],
        ['HEAD', (id) => `${kind}/${id}`],
        ['DELETE', (id) => `${kind}/${id}`],
      ];
      if (kind !== 'tokens') places.push(['PATCH', (id) => `${kind}/${id}`, bodies[kind]]);
      return places.map(([method, path, json]) => ({ method, kind, of: (id: number) => ({ path: path(id), json }) }));
    });
    const withSpace = [
      {
        method: 'POST',
        kind: 'spaces' as const,
        of: (id: number) => ({ path: 'wins', json: { win: { body: 'z', space_id: id, tag_names: ['Fresh'] } } }),
      },
      {
        method: 'PATCH',
        kind: 'spaces' as const,
        of: (id: number) => ({ path: `wins/${win}`, json: { win: { space_id: id, tag_names: ['Fresh'] } } }),
      },
      {
        method: 'GET',
        kind: 'spaces' as const,
        of: (id: number) => ({ path: `wins?space_id=${id}`, json: undefined }),
      },
      {
        method: 'GET',
        kind: 'spaces' as const,
        of: (id: number) => ({ path: `wins?space_id=${id}&q=xyz&tag=Secret`, json: undefined }),
      },
    ];
    const OF_URL = ['content-length', 'etag']; // they depend on the URL, which has the id
    for (const { method, kind, of } of [...asked, ...withSpace]) {
      const ask = async (id: number) => {
        const { path, json } = of(id);
        const response = await fetch(`${first.url}/api/v1/${path}`, {
          method,
          headers: {
            authorization: `Bearer ${ann.token}`,
            ...(json !== undefined && { 'content-type': 'application/json' }),
          },
          ...(json !== undefined && { body: JSON.stringify(json) }),
        });
        const requestId = response.headers.get('x-request-id')!;
        const hide = (text: string) =>
          text.replaceAll(requestId, 'REQUEST').replaceAll(`space_id=${id}`, 'space_id=ID');
        const headers = [...response.headers]
          .filter(([name]) => name !== 'date')
          .map(([name, value]) => [name, OF_URL.includes(name) ? '' : hide(value)]);
        return { status: response.status, headers, body: hide(await response.text()) };
      };
      expect({ method, kind, answer: await ask(theirs[kind]) }).toEqual({ method, kind, answer: await ask(NOT_THERE) });
    }
    expect((await api(ann).get('tags')).body).toEqual([]);
    expect((await api(bob).get('tags')).body).toMatchObject([{ name: 'Secret', wins_count: 1 }]);
    expect((await api(bob).get(`wins/${theirs.wins}`)).body).toMatchObject({ body: 'x', space: { name: 'Home' } });
  });
});
