import type { Person } from '../harness/factories.js';
import { startNginx, type Nginx } from '../harness/nginx.js';
import { Workshop, type Service } from '../harness/processes.js';

/** Needs `nginx`. The built service behind it, with the defaults of both. */

const TAGS = '/api/v1/tags';
const TRIES = 20;
const SMALL_ENOUGH = Buffer.alloc(900 * 1024, 'x'); // nginx itself refuses more than 1 MiB
const TOO_LARGE = Buffer.alloc(5 * 1024 * 1024, 'x');

const workshop = new Workshop();
let service: Service;
let nginx: Nginx;
let ann: Person;

beforeAll(async () => {
  const { url, database, make } = await workshop.migrated();
  ann = await make.person();
  await database.close();
  service = await workshop.serve({
    NODE_ENV: 'production',
    DATABASE_URL: url,
    RATE_LIMIT_PER_MINUTE: '0',
    TRUST_PROXY: '127.0.0.1',
  });
  nginx = await startNginx(service.url);
});
afterAll(async () => {
  await nginx?.stop();
  await workshop.clean();
});

const bearer = () => ({ authorization: `Bearer ${ann.token}` });
const nobody = { authorization: 'Bearer wins_nobody' };
const json = { 'content-type': 'application/json' };

/** @returns the statuses of tries, one after the other on connections that are kept, and then all at once */
async function statusesOf(base: string, path: string, headers: Record<string, string>, body: Buffer<ArrayBuffer>) {
  const send = async () => {
    const answer = await fetch(base + path, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  const statuses: number[] = [];
  for (let n = 0; n < TRIES; n++) statuses.push(await send());
  return [...statuses, ...(await Promise.all(Array.from({ length: TRIES }, send)))];
}

const each = (status: number) => Array.from({ length: 2 * TRIES }, () => status);

describe('a large body that is refused', () => {
  it.each([
    ['for its token', 401, TAGS, () => ({ ...nobody, ...json })],
    ['for its type', 415, TAGS, () => ({ ...bearer(), 'content-type': 'text/plain' })],
    ['for its route', 404, '/api/v1/nope', () => ({ ...bearer(), ...json })],
    ['for its route, outside the API', 404, '/nope', () => json],
  ])('%s is answered %d, through nginx every time', async (_, status, path, headers) => {
    expect(await statusesOf(nginx.url, path, headers(), SMALL_ENOUGH)).toEqual(each(status));
  });

  it('for its size is answered 413 through nginx every time', async () => {
    expect(await statusesOf(nginx.url, TAGS, { ...bearer(), ...json }, TOO_LARGE)).toEqual(each(413));
  });

  it.each([
    ['for its size', 413, () => ({ ...bearer(), ...json })],
    ['for its token', 401, () => ({ ...nobody, ...json })],
  ])('%s is answered %d to fetch, which keeps its connections', async (_, status, headers) => {
    expect(await statusesOf(service.url, TAGS, headers(), TOO_LARGE)).toEqual(each(status));
  });
});

describe('a list with a long query', () => {
  beforeAll(async () => {
    const space = await service.call('POST', '/api/v1/spaces', { token: ann.token, json: { space: { name: 'Work' } } });
    for (const body of ['赢'.repeat(300), '赢'.repeat(200), `${'赢'.repeat(201)} again`]) {
      const win = { body, space_id: space.body.id, occurred_on: '2026-01-31', tag_names: ['汉'.repeat(30)] };
      await service.call('POST', '/api/v1/wins', { token: ann.token, json: { win } });
    }
  });

  it.each([
    ['200 Chinese characters', `q=${encodeURIComponent('赢'.repeat(200))}&page=2&per_page=1`],
    ['a tag and a search', `tag=${encodeURIComponent('汉'.repeat(30))}&q=${encodeURIComponent('赢'.repeat(200))}&page=2&per_page=1`], // prettier-ignore
    ['900 bytes of an unknown parameter', `x=${'y'.repeat(900)}&page=2&per_page=1`],
    ['7,000 bytes of an unknown parameter', `x=${'y'.repeat(7_000)}&page=2&per_page=1`],
    ['thousands of empty parameters', `${'a&'.repeat(3_900)}page=2&per_page=1`],
  ])('passes nginx, and fetch: %s', async (_, query) => {
    for (const base of [nginx.url, service.url]) {
      const answer = await fetch(`${base}/api/v1/wins?${query}`, { headers: bearer() });
      expect([answer.status, answer.headers.get('x-total-count'), answer.headers.get('x-page')]).toEqual([200, '3', '2']); // prettier-ignore
      expect(await answer.json()).toHaveLength(1);
    }
  });
});
