import { startApp, type TestApp } from '../harness/app.js';
import type { Person } from '../harness/factories.js';
import { countsOf, linksOf } from '../harness/pages.js';

/** The pages of a list keep its filters, and nothing else. */

const WINS = '/api/v1/wins';

let app: TestApp;
let ann: Person;

beforeAll(async () => {
  app = await startApp();
  ann = await app.make.person();
  const { body: space } = await app.as(ann).post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work' } });
  const long = '字'.repeat(200);
  for (let n = 0; n < 3; n++) {
    const win = { body: `why? a+b & c=d # ${long}`, space_id: space.id, tag_names: ['x', 'Q?&A'] };
    await app.as(ann).post(WINS, { win });
    await app.as(ann).post(WINS, { win: { ...win, body: 'other' } });
  }
});
afterAll(() => app.close());

const list = (query: string) => app.as(ann).get<{ id: number }[]>(`${WINS}?${query}`);

it.each([
  'q=why?&tag=x',
  'q=why?&tag=Q?%26A',
  'tag=x&q=a%2Bb',
  'q=c%3Dd%20%23',
  'since=2020-01-01&q=why%3F&until=2999-12-31',
])('leads through the list of ?%s and no other', async (query) => {
  const whole = await list(query);
  expect(whole.body).toHaveLength(3);
  const seen: number[] = [];
  for (let next: string | undefined = `${WINS}?${query}&per_page=1`; next !== undefined;) {
    const answer = await app.as(ann).get<{ id: number }[]>(next);
    seen.push(...answer.body.map(({ id }) => id));
    ({ next } = linksOf(answer));
  }
  expect(seen).toEqual(whole.body.map(({ id }) => id));
});

it.each([
  ['an unknown parameter', `x=${'y'.repeat(900)}`],
  ['thousands of empty ones', 'a&'.repeat(4_000)],
  ['one that is repeated', 'b=1&'.repeat(3_000)],
])('keeps nothing of %s', async (_, query) => {
  const answer = await list(`${query}&per_page=1`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('link')).toMatch(/^<\/api\/v1\/wins\?per_page=1&page=1>; rel="first", /);
  expect(answer.headers.get('link')!.length).toBeLessThan(300);
});

it('names the next page of a long search, and stays short', async () => {
  const answer = await list(`q=${encodeURIComponent('字'.repeat(200))}&per_page=1`);
  expect(Object.keys(linksOf(answer))).toEqual(['next']);
  expect(answer.headers.get('link')!.length).toBeLessThanOrEqual(2_000);
});

it('is left out where not even one link is short', async () => {
  const answer = await list(`q=${encodeURIComponent('😀'.repeat(200))}&tag=${encodeURIComponent('😀'.repeat(500))}`);
  expect([answer.status, answer.headers.get('link')]).toEqual([200, null]);
});

it.each([
  'since=',
  'until=',
  'space_id=',
  'page=',
  'per_page=',
  'tag=',
  'q=',
  'tag=%20',
  'q=%20',
  'since=&until=&q=&tag=',
])('takes the empty ?%s for none', async (query) => {
  const answer = await list(query);
  expect(answer.status).toBe(200);
  expect(countsOf(answer)).toEqual([6, 1, 25]);
  expect(answer.headers.get('link')).toBe((await app.as(ann).get(WINS)).headers.get('link'));
});
