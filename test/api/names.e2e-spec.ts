import { startApp, type TestApp } from '../harness/app.js';
import type { Answer } from '../harness/client.js';
import type { Person } from '../harness/factories.js';
import { visibly } from '../harness/names.js';

/** Names that look the same, and texts that no one writes. */

let app: TestApp;
let ann: Person;
let space: number;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person({ plan: 'pro' });
  space = (await app.as(ann).post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work' } })).body.id;
});

const NAMED: [what: string, create: (name: string) => Promise<Answer<{ name: string }>>][] = [
  ['tag', (name) => app.as(ann).post('/api/v1/tags', { tag: { name } })],
  ['space', (name) => app.as(ann).post('/api/v1/spaces', { space: { name } })],
  ['token', (name) => app.as(ann).post('/api/v1/tokens', { token: { name } })],
];

const codesOf = ({ body }: Answer) => (body as { details?: { code: string }[] }).details?.map(({ code }) => code);
const createWin = (fields: object) =>
  app.as(ann).post<{ id: number; body: string; tags: { name: string }[] }>('/api/v1/wins', {
    win: { body: 'x', space_id: space, ...fields },
  });

const LOOK_THE_SAME = [
  'Team',
  'Te\u200bam',
  'Te\u00adam',
  'Te\u2060am',
  '\ufeffTeam',
  'Te\u180eam',
  'Te\u3164am',
  'Team\u200d',
  '\u200eTeam\u200f',
  '\u202aTeam\u202c',
  'Team\ufe0f',
  'Te\u034fam',
  'Team\u{e0067}\u{e007f}',
];

describe.each(NAMED)('the name of a %s', (_, create) => {
  it.each(
    ['a\u202eb', 'a\u202ab', 'a\u2066b', 'a\u2069b', 'a\u2028b', 'a\u2029b', 'a\u0085b'].map((name) => [
      visibly(name),
      name,
    ]),
  )('has no marks of direction or line breaks inside: %s', async (__, name) => {
    const answer = await create(name);
    expect([answer.status, codesOf(answer)]).toEqual([422, ['invalid_characters']]);
  });

  it.each(LOOK_THE_SAME.map((name) => [visibly(name), name]))('is stored as it looks: %s', async (__, name) => {
    expect(await create(name)).toMatchObject({ status: 201, body: { name: 'Team' } });
  });

  it.each(
    [
      '❤\ufe0f',
      '👨\u200d👩\u200d👧',
      '🏳\ufe0f\u200d🌈',
      '1\ufe0f\u20e3',
      '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
      'می\u200cخواهم',
      'क\u094d\u200dष',
    ].map((name) => [visibly(name), name]),
  )('keeps what is needed: %s', async (__, name) => {
    expect(await create(name)).toMatchObject({ status: 201, body: { name } });
  });

  it('has at most 30 marks in a row', async () => {
    // Of letters and marks that do not compose, so that none of them disappears.
    const answer = await create(`x${'\u0325\u0332'.repeat(16)}`);
    expect([answer.status, codesOf(answer)?.includes('invalid_characters')]).toEqual([422, true]);
  });
});

it('makes one tag of names that look the same', async () => {
  for (const name of LOOK_THE_SAME) expect((await createWin({ tag_names: [name] })).status).toBe(201);
  expect((await app.as(ann).get<{ name: string }[]>('/api/v1/tags')).body.map(({ name }) => name)).toEqual(['Team']);
  const { body } = await app.as(ann).get<unknown[]>(`/api/v1/wins?tag=${encodeURIComponent('Te\u00adam')}`);
  expect(body).toHaveLength(LOOK_THE_SAME.length);
});

const marks = (count: number) => `a${'\u0301\u0316'.repeat(count / 2)}`;

describe('marks in a row', () => {
  it('are at most 30 in the body of a win, whether it is created or updated', async () => {
    const { body: win } = await createWin({ body: marks(30) });
    expect(win.body).toBe(marks(30));
    for (const answer of [
      await createWin({ body: marks(32) }),
      await createWin({ body: marks(9_998) }),
      await app.as(ann).patch(`/api/v1/wins/${win.id}`, { win: { body: marks(32) } }),
      await createWin({ tag_names: [`x${'\u0325\u0332'.repeat(14)}\u0325\u0332\u0325`] }),
    ]) {
      expect([answer.status, codesOf(answer)?.at(-1)]).toEqual([422, 'invalid_characters']);
    }
  });

  it('are at most 30 in what is searched for', async () => {
    for (const filter of ['q', 'tag']) {
      const answer = await app.as(ann).get(`/api/v1/wins?${filter}=${encodeURIComponent(marks(32))}`);
      expect([answer.status, codesOf(answer)]).toEqual([422, ['invalid_characters']]);
    }
  });
});

it('leaves line separators and marks of direction in the body of a win', async () => {
  const body = 'one\u2028two\u2029\u202eright\u202c\u2066x\u2069 a\u200bb';
  expect((await createWin({ body })).body.body).toBe(body);
});
