import { CallerCache } from '../../../src/auth/caller-cache.js';
import { createToken } from '../../../src/auth/token.js';
import { NoTurnError } from '../../../src/database/errors.js';
import { startApp, type TestApp } from '../../harness/app.js';
import { until } from '../../harness/until.js';

const LIMIT = 20;
const TAGS = '/api/v1/tags';

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

let app: TestApp;
beforeEach(async () => {
  app = await startApp({ RATE_LIMIT_PER_MINUTE: String(LIMIT), TRUST_PROXY: '127.0.0.1' });
});
afterEach(() => app.close());

/** A sign-in with what looks like a token but is none. */
const fail = async (address: string) =>
  (await app.as({ id: 0, email: '', token: createToken() }).get(TAGS, from(address))).status;

it('counts a user, however many tokens they make', async () => {
  const ann = await app.make.person();
  const tokens = await Promise.all(Array.from({ length: 5 }, () => app.make.token(ann.id)));
  const answers = await Promise.all(
    Array.from({ length: 2 * LIMIT }, (_, n) => app.as({ ...ann, token: tokens[n % tokens.length]! }).get(TAGS)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(LIMIT);
});

it('counts users apart', async () => {
  const [ann, bob] = await Promise.all([app.make.person(), app.make.person()]);
  for (let n = 0; n <= LIMIT; n++) await app.as(ann).get(TAGS);
  expect((await app.as(ann).get(TAGS)).status).toBe(429);
  expect((await app.as(bob).get(TAGS)).status).toBe(200);
});

describe('an address that has used up its failed sign-ins', () => {
  const ADDRESS = '203.0.113.7';

  it('is refused before the database is asked, also for many sign-ins at once', async () => {
    const callers = app.app.get(CallerCache);
    const before = callers.misses;
    const statuses = await Promise.all(Array.from({ length: 5 * LIMIT }, () => fail(ADDRESS)));
    expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT);
    expect(callers.misses - before).toBe(LIMIT);
    expect(await fail(ADDRESS)).toBe(429);
    expect(callers.misses - before).toBe(LIMIT);
  });

  it('goes on with tokens that are remembered; others wait', async () => {
    const [known, unknown] = await Promise.all([app.make.person(), app.make.person()]);
    const callers = app.app.get(CallerCache);
    await until(async () => {
      await app.as(known).get('/api/v1/me', from(ADDRESS));
      return callers.hits > 0;
    });
    await Promise.all(Array.from({ length: LIMIT + 1 }, () => fail(ADDRESS)));
    expect((await app.as(known).get(TAGS, from(ADDRESS))).status).toBe(200);
    const refused = await app.as(unknown).get(TAGS, from(ADDRESS));
    expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([429, '0']);
    expect((await app.as(unknown).get(TAGS, from('203.0.113.8'))).status).toBe(200);
  });

  it('is not one whose sign-ins were refused only because there were many at once', async () => {
    const people = await Promise.all(Array.from({ length: 2 * LIMIT }, () => app.make.person()));
    const callers = app.app.get(CallerCache);
    const find = callers.find.bind(callers);
    let refused = 0;
    callers.find = async (header, token) => {
      await until(() => refused === LIMIT);
      return find(header, token);
    };
    const statuses = people.map(async (person) => {
      const { status } = await app.as(person).get(TAGS, from(ADDRESS));
      if (status === 429) refused++;
      return status;
    });
    expect((await Promise.all(statuses)).filter((status) => status === 200)).toHaveLength(LIMIT);
    callers.find = find;
    expect((await app.as(await app.make.person()).get(TAGS, from(ADDRESS))).status).toBe(200);
  });

  it('is not one whose sign-ins the database could not answer', async () => {
    app.app.get(CallerCache).find = () => Promise.reject(new NoTurnError());
    for (let n = 0; n < LIMIT + 5; n++) {
      const { status, headers } = await app.as(await app.make.person()).get(TAGS, from(ADDRESS));
      expect([status, [...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))]).toEqual([503, []]);
    }
  });

  it('is not one that signs in often and well', async () => {
    for (let n = 0; n < LIMIT + 5; n++) {
      const answer = await app.as(await app.make.person()).get(TAGS, from(ADDRESS));
      expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([200, String(LIMIT - 1)]);
    }
  });
});

describe('failed sign-ins', () => {
  it.each([
    ['two addresses of one IPv6 network', '2001:db8::1', '2001:db8:0:0:ffff::2', 429],
    ['two IPv6 networks', '2001:db8::1', '2001:db8:0:1::1', 401],
    ['an IPv4 address and its spelling in IPv6', '198.51.100.1', '::ffff:198.51.100.1', 429],
    ['that, in hexadecimal digits', '198.51.100.1', '::FFFF:c633:6401', 429],
    ['two IPv4 addresses as IPv6', '::ffff:198.51.100.1', '::ffff:198.51.100.2', 401],
    ['what is no address', 'unknown', '_hidden', 429],
  ])('of %s', async (_, first, second, status) => {
    for (let n = 0; n < LIMIT; n++) expect(await fail(first)).toBe(401);
    expect(await fail(second)).toBe(status);
  });
});
