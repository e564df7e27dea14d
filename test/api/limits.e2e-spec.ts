import { freePort } from '../harness/ports.js';
import { startApp, type TestApp } from '../harness/app.js';
import { until } from '../harness/until.js';

const LIMIT = 20;
const TAGS = '/api/v1/tags';

const limitHeaders = ({ headers }: { headers: Headers }) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
  reset: headers.get('x-ratelimit-reset'),
});

describe('with a rate limit', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  });
  afterAll(() => app.close());

  it('lets exactly the limit pass in a burst, and says when to come again', async () => {
    const ann = await app.make.person();
    const answers = await Promise.all(Array.from({ length: LIMIT + 10 }, () => app.as(ann).get(TAGS)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    for (const answer of refused) {
      expect(answer.body).toEqual({ error: 'Too many requests', code: 'rate_limited', request_id: expect.any(String) });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
    }
  });

  it('tells on every answer what is left, errors included', async () => {
    const ann = await app.make.person();
    const now = Date.now() / 1000;
    const seen = [
      await app.as(ann).get(TAGS),
      await app.as(ann).get(`${TAGS}/0`),
      await app.as(ann).post(TAGS, {}),
      await app.as(ann).get('/api/v1/nope'),
    ].map(limitHeaders);
    expect(seen.map(({ remaining }) => Number(remaining))).toEqual([19, 18, 17, 16]);
    for (const { limit, reset } of seen) {
      expect(limit).toBe(String(LIMIT));
      expect(Number(reset)).toBeGreaterThanOrEqual(Math.floor(now));
      expect(Number(reset)).toBeLessThanOrEqual(Math.ceil(now) + 61);
    }
  });

  it('counts a user, whichever of their tokens is used', async () => {
    const ann = await app.make.person();
    const second = { ...ann, token: await app.make.token(ann.id) };
    for (let n = 0; n < LIMIT; n++) await app.as(ann).get(TAGS);
    expect((await app.as(ann).get(TAGS)).status).toBe(429);
    expect((await app.as(second).get(TAGS)).status).toBe(429);
  });

  it('exempts health and docs', async () => {
    for (const path of ['/healthz', '/readyz', '/docs', '/openapi.json']) {
      const answers = await Promise.all(Array.from({ length: LIMIT + 1 }, () => fetch(app.url + path)));
      for (const answer of answers) {
        expect(answer.status).toBe(200);
        expect(limitHeaders(answer).limit).toBeNull();
      }
    }
  });
});

const failing = (address: string) => ({ headers: { 'x-forwarded-for': address } });

describe('failed sign-ins', () => {
  it('count by address, whatever X-Forwarded-For claims, and hinder no token that is remembered', async () => {
    const port = await freePort();
    const app = await startApp({ RATE_LIMIT_PER_MINUTE: String(LIMIT), METRICS_PORT: String(port) });
    const ann = await app.make.person();
    await until(async () => {
      await app.as(ann).get('/api/v1/me');
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return /caller_cache_lookups_total\{result="hit"\} [1-9]/.test(metrics);
    });
    for (let n = 0; n < LIMIT; n++) {
      expect((await app.as().get(TAGS, failing(`10.0.0.${n}`))).status).toBe(401);
    }
    const refused = await app.as().get(TAGS, failing('10.0.0.99'));
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    expect((await app.as(ann).get(TAGS)).status).toBe(200);
    await app.close();
  });

  it('count by the address that a trusted proxy names', async () => {
    const app = await startApp({ RATE_LIMIT_PER_MINUTE: '1', TRUST_PROXY: '127.0.0.1' });
    expect((await app.as().get(TAGS, failing('10.0.0.1'))).status).toBe(401);
    expect((await app.as().get(TAGS, failing('10.0.0.1'))).status).toBe(429);
    expect((await app.as().get(TAGS, failing('10.0.0.2'))).status).toBe(401);
    await app.close();
  });
});

it('has no limit when it is 0', async () => {
  const app = await startApp({ RATE_LIMIT_PER_MINUTE: '0' });
  const ann = await app.make.person();
  expect(limitHeaders(await app.as(ann).get(TAGS))).toEqual({ limit: null, remaining: null, reset: null });
  await app.close();
});

it('counts for itself while Redis can not be reached', async () => {
  const app = await startApp({ RATE_LIMIT_PER_MINUTE: '2', REDIS_URL: 'redis://127.0.0.1:1' });
  const ann = await app.make.person();
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push((await app.as(ann).get(TAGS)).status);
  expect(statuses).toEqual([200, 200, 429]);
  await app.close();
});
