import type { Person } from '../../harness/factories.js';
import { Workshop } from '../../harness/processes.js';
import { serveMetered, type Metered } from './meter.js';

/** What the worst requests cost the service in processor time, beside an honest one of the same size. */

const MIB = 1024 * 1024;
const REPEATED = 3;

const workshop = new Workshop();
let service: Metered;
let ann: Person;

beforeAll(async () => {
  const migrated = await workshop.migrated();
  ann = await migrated.make.person();
  await migrated.database.close();
  service = await serveMetered(workshop, migrated.url);
});
afterAll(() => workshop.clean());

const send = (method: string, path: string, body?: string) =>
  fetch(service.server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${ann.token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  }).then(async (answer) => [answer.status, await answer.text()] as const);

/** Milliseconds of processor time of one request. */
async function costOf(method: string, path: string, body?: string): Promise<number> {
  await send(method, path, body);
  const before = await service.cpu();
  for (let n = 0; n < REPEATED; n++) {
    const [status] = await send(method, path, body);
    if (status >= 500) throw new Error(`${status} for ${body?.slice(0, 80) ?? path.slice(0, 80)}`);
  }
  return ((await service.cpu()) - before) * (1_000 / REPEATED);
}

const OPERATIONS = [
  ['POST', '/api/v1/tags', 'tag'],
  ['POST', '/api/v1/spaces', 'space'],
  ['POST', '/api/v1/wins', 'win'],
  ['PATCH', '/api/v1/wins/1', 'win'],
  ['POST', '/api/v1/tokens', 'token'],
] as const;

/** A JSON text of about 1 MiB. */
const filled = (before: string, item: string, after: string) =>
  before + item.repeat(Math.floor((MIB - 200 - before.length) / Buffer.byteLength(item))) + after;

const marks = `a${'\u0315'.repeat(100_000)}${'\u0316'.repeat(100_000)}`;

/** Bodies, by what is bad about them. */
const BODIES: [string, (wrapper: string) => string][] = [
  [
    'marks to be put in order',
    (w) => JSON.stringify({ [w]: { name: marks, body: marks, tag_names: [marks], emoji: marks } }),
  ],
  ['objects that reach for a prototype', () => filled('[', '{"__proto__":1},', '1]')],
  ['empty arrays', () => filled('[', '[],', '1]')],
  ['a quarter of a million names', (w) => filled(`{"${w}":{"tag_names":[`, '"a",', '"b"]}}')],
  ['one text of half a million names', (w) => filled(`{"${w}":{"tag_names":"`, 'a,', '"}}')],
  [
    'as many names as are read',
    (w) =>
      JSON.stringify({ [w]: { tag_names: Array.from({ length: 1_000 }, (_, n) => `${n}é\u0315\u200b`.repeat(30)) } }),
  ],
  ['many keys', (w) => `{"${w}":{${Array.from({ length: 90_000 }, (_, n) => `"k${n}":1`).join()}}}`],
  [
    'as many keys as are read',
    (w) => `{"${w}":{${Array.from({ length: 9_900 }, (_, n) => `"${n}${'k'.repeat(80)}":1`).join()}}}`,
  ],
  ['as many objects as are read', (w) => `{"${w}":{"x":[${'{"__proto__":1},'.repeat(4_900)}1]}}`],
  ['nothing to see', (w) => filled(`{"${w}":{"name":"`, '\u200b', '","body":""}}')],
  ['a body of nothing to see', (w) => filled(`{"${w}":{"body":"`, '\u200b', '"}}')],
  ['white space around a name', (w) => filled(`{"${w}":{"name":"`, '\\u0085', '"}}')],
  ['escapes', (w) => filled(`{"${w}":{"name":"`, '\\ud83d\\ude00', '"}}')],
  ['halves of pairs', (w) => filled(`{"${w}":{"body":"`, '\\ud83d', '"}}')],
  ['a long number', (w) => filled(`{"${w}":{"position":`, '9', '}}')],
  ['a long time', (w) => filled(`{"${w}":{"expires_at":"2030-01-01T00:00:00.`, '1', 'Z"}}')],
  ['a long day', (w) => filled(`{"${w}":{"occurred_on":"`, '2026-01-01', '"}}')],
  ['a long emoji', (w) => filled(`{"${w}":{"name":"a","emoji":"`, '👨\u200d', '"}}')],
  ['white space between values', (w) => filled(`{"${w}":`, ' ', '{}}')],
];

describe('a body of up to 1 MiB', () => {
  it.each(BODIES)('costs little, whichever operation gets it: %s', async (_, bodyOf) => {
    const honest = JSON.stringify({ win: { body: 'x'.repeat(MIB - 100) } });
    const control = await costOf('POST', '/api/v1/wins', honest);
    for (const [method, path, wrapper] of OPERATIONS) {
      const cost = await costOf(method, path, bodyOf(wrapper));
      expect({ method, path, isCheap: cost < Math.max(100, 8 * control), cost, control }).toMatchObject({
        isCheap: true,
      });
    }
  });
});

/** Queries of almost 16 KiB. */
const QUERIES: [string, string][] = [
  ['empty parameters', 'a&'.repeat(7_500)],
  ['a parameter that is repeated', 'page=1&'.repeat(2_100)],
  ['many parameters', Array.from({ length: 2_400 }, (_, n) => `k${n}=`).join('&')],
  ['escapes', `q=${'%F0%9F%98%80'.repeat(1_200)}`],
  ['broken escapes', `q=${'%'.repeat(15_000)}`],
  ['marks', `tag=${encodeURIComponent(marks.slice(0, 1_200) + marks.slice(-1_200))}`],
  ['words', `q=${'a+'.repeat(7_000)}`],
  ['digits', `page=${'9'.repeat(15_000)}`],
  ['a long day', `since=${'2026-01-01'.repeat(1_500)}`],
];

describe.each(['/api/v1/tags', '/api/v1/wins'])('a query of %s of up to 16 KiB', (path) => {
  it.each(QUERIES)('costs little: %s', async (_, query) => {
    const control = await costOf('GET', `${path}?x=${'y'.repeat(15_000)}`);
    const cost = await costOf('GET', `${path}?${query}`);
    expect({ isCheap: cost < Math.max(100, 8 * control), cost, control }).toMatchObject({ isCheap: true });
  });
});
