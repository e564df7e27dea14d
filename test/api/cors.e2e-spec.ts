import { startApp, type TestApp } from '../harness/app.js';
import type { Person } from '../harness/factories.js';

const TAGS = '/api/v1/tags';
const ORIGIN = 'https://app.example';

const READ_BY_SCRIPTS = [
  'x-total-count',
  'x-page',
  'x-per-page',
  'link',
  'location',
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'www-authenticate',
];

const preflight = (app: TestApp, method: string, origin = ORIGIN) =>
  fetch(app.url + TAGS, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    },
  });

const listOf = (header: string | null) => (header ?? '').split(',').map((item) => item.trim().toLowerCase());

describe('with CORS_ORIGINS', () => {
  let app: TestApp;
  let ann: Person;

  beforeAll(async () => {
    app = await startApp({ CORS_ORIGINS: `${ORIGIN}, http://localhost:5173`, RATE_LIMIT_PER_MINUTE: '10' });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    ann = await app.make.person();
  });

  it.each(['GET', 'POST', 'PATCH', 'DELETE'])('answers the preflight of %s without a token', async (method) => {
    const { status, headers } = await preflight(app, method);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(listOf(headers.get('access-control-allow-methods'))).toContain(method.toLowerCase());
    expect(listOf(headers.get('access-control-allow-headers'))).toEqual(['authorization', 'content-type']);
  });

  it('shows a script the paging and rate headers, errors, and the challenge', async () => {
    const answer = await app.as(ann).get(TAGS, { headers: { origin: ORIGIN } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(listOf(answer.headers.get('vary')).toSorted()).toEqual(['authorization', 'origin']);
    const readable = listOf(answer.headers.get('access-control-expose-headers'));
    for (const name of READ_BY_SCRIPTS) expect(readable).toContain(name);
  });

  it('names the origin on refusals too', async () => {
    const headers = { origin: ORIGIN };
    const refusals = [
      await app.as().get(TAGS, { headers }),
      await app.as(ann).post(TAGS, {}, { headers }),
      await app.as(ann).get(`${TAGS}/0`, { headers }),
    ];
    for (let n = 0; n < 8; n++) await app.as(ann).get(TAGS, { headers });
    refusals.push(await app.as(ann).get(TAGS, { headers }));
    expect(refusals.map(({ status }) => status)).toEqual([401, 422, 404, 429]);
    for (const refusal of refusals) expect(refusal.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });

  it('names no origin that is not listed', async () => {
    const { headers } = await preflight(app, 'GET', 'https://evil.example');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const answer = await app.as(ann).get(TAGS, { headers: { origin: 'https://evil.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

it('is off without CORS_ORIGINS', async () => {
  const app = await startApp();
  const ann = await app.make.person();
  const answer = await app.as(ann).get(TAGS, { headers: { origin: ORIGIN } });
  expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect((await preflight(app, 'GET')).status).toBe(401);
  await app.close();
});
