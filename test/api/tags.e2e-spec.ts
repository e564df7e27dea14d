import type { Tag } from '../../src/tags/dto/tag.js';
import { startApp, type TestApp } from '../harness/app.js';
import { errors } from '../harness/errors.js';
import type { Person } from '../harness/factories.js';
import {
  BLANK_NAMES,
  bodiesWithout,
  FORBIDDEN_NAMES,
  REORDERED_NAMES,
  NOT_TEXTS,
  ODD_NAMES,
  PADDINGS,
  visibly,
} from '../harness/names.js';
import { countRows } from '../harness/rows.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Pairs of names that are one and the same. */
const SAME_NAMES = [
  ['Launch', 'launch'],
  ['launch', '  launch \t'],
  ['caf\u00e9', 'cafe\u0301'],
  ['CAFE\u0301', 'caf\u00e9'],
  ['Straße', 'STRASSE'],
  ['strasse', 'STRAẞE'],
  ['ΟΔΟΣ', 'οδος'],
  ['οδος', 'οδοσ'],
  ['Σ', 'ς'],
  ['\u00b5', '\u03bc'],
  ['\u212a', 'k'],
  ['ﬁne', 'FINE'],
  ['Ǆ', 'ǅ'],
  ['Ａ', 'ａ'],
  ['ПРИВЕТ', 'привет'],
  ['İ', 'i\u0307'],
] as const;

/** Pairs of names that only look or sound alike. */
const DIFFERENT_NAMES = [
  ['i', 'ı'],
  ['I', 'ı'],
  ['i', 'İ'],
  ['cafe', 'café'],
  ['A', 'Ａ'],
  ['a', 'а'],
  ['a b', 'ab'],
  ['2', '²'],
] as const;

let app: TestApp;
let ann: Person;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
});

async function tag(name: string, person = ann): Promise<Tag> {
  const answer = await app.as(person).post<Tag>('/api/v1/tags', { tag: { name } });
  expect(answer.status).toBe(201);
  return answer.body;
}

async function namesOf(person: Person): Promise<string[]> {
  const { body } = await app.as(person).get<Tag[]>('/api/v1/tags?per_page=100');
  return body.map(({ name }) => name);
}

async function spaceOf(person: Person): Promise<number> {
  const { body } = await app.as(person).post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work' } });
  return body.id;
}

describe('GET /api/v1/tags', () => {
  it('answers an empty array to who has no tags', async () => {
    const answer = await app.as(ann).get('/api/v1/tags');
    expect(answer).toMatchObject({ status: 200, body: [] });
    expect(answer.headers.get('x-total-count')).toBe('0');
  });

  it('lists whole tags', async () => {
    const launch = await tag('Launch');
    const answer = await app.as(ann).get('/api/v1/tags');
    expect(answer.body).toEqual([launch]);
  });

  it('lists in the order of the alphabet, which neither case nor accents split', async () => {
    const alphabet = [
      'apple',
      'Apricot',
      'Éclair',
      'edge',
      'Ember',
      'Straße',
      'strata',
      'Über',
      'uncle',
      'Zebra',
      'zoo',
    ];
    for (const name of alphabet.toReversed()) await tag(name);
    expect(await namesOf(ann)).toEqual(alphabet);
  });

  it('counts the wins that use a tag', async () => {
    const [used, unused] = [await tag('used'), await tag('unused')];
    await app.make.wins(ann, await spaceOf(ann), { count: 3, tagIds: [used.id] });
    const { body } = await app.as(ann).get('/api/v1/tags');
    expect(body).toEqual([unused, { ...used, wins_count: 3 }]);
  });

  it("lists none of another user's tags", async () => {
    const bob = await app.make.person();
    await tag('mine');
    await tag('theirs', bob);
    expect(await namesOf(ann)).toEqual(['mine']);
  });
});

describe('GET /api/v1/tags/:id', () => {
  it('answers the tag', async () => {
    const launch = await tag('Launch');
    const answer = await app.as(ann).get(`/api/v1/tags/${launch.id}`);
    expect(answer).toMatchObject({ status: 200, body: launch });
  });

  it('answers 404 to an id that no tag has', async () => {
    const { id } = await tag('gone');
    await app.as(ann).delete(`/api/v1/tags/${id}`);
    expect(await app.as(ann).get(`/api/v1/tags/${id}`)).toEqual(errors.noTag);
  });
});

describe('POST /api/v1/tags', () => {
  it('creates a tag and says where it is', async () => {
    const before = Date.now();
    const answer = await app.as(ann).post<Tag>('/api/v1/tags', { tag: { name: 'Launch' } });
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: expect.any(Number),
      name: 'Launch',
      wins_count: 0,
      created_at: expect.stringMatching(TIME),
    });
    expect(Math.abs(Date.parse(answer.body.created_at) - before)).toBeLessThan(5_000);
    expect(answer.headers.get('location')).toBe(`/api/v1/tags/${answer.body.id}`);
    const { body } = await app.as(ann).get(answer.headers.get('location')!);
    expect(body).toEqual(answer.body);
  });

  it.each(PADDINGS.map((padding) => [visibly(padding), padding]))('trims %s off both ends', async (_, padding) => {
    expect((await tag(`${padding}a b${padding}`)).name).toBe('a b');
  });

  it.each(ODD_NAMES.map(([sent, stored]) => [visibly(sent), sent, stored]))('takes %s', async (_, sent, stored) => {
    expect((await tag(sent)).name).toBe(stored);
    expect(await namesOf(ann)).toEqual([stored]);
  });

  it.each([
    ['letters', 'x'.repeat(30)],
    ['emoji', '😀'.repeat(30)],
    ['letters with decomposed accents', 'e\u0301'.repeat(30)],
    ['letters in white space', `   ${'x'.repeat(30)}\u3000`],
  ])('takes 30 %s', async (_, name) => {
    expect((await tag(name)).name).toBe(name.trim().normalize('NFC'));
  });

  it.each([
    ['letters', 'x'.repeat(31)],
    ['emoji', '😀'.repeat(31)],
    ['letters with accents that do not compose', 'x\u0301'.repeat(16)],
    ['letters that NFC takes apart', '\u0958'.repeat(16)],
    ['thousand letters and more', 'x'.repeat(100_000)],
  ])('refuses more than 30 characters: %s', async (_, name) => {
    const answer = await app.as(ann).post('/api/v1/tags', { tag: { name } });
    expect(answer).toEqual(errors.invalid('tag.name too_long'));
    expect(await namesOf(ann)).toEqual([]);
  });

  it.each(BLANK_NAMES.map((name) => [visibly(name), name]))('refuses the blank name %s', async (_, name) => {
    const answer = await app.as(ann).post('/api/v1/tags', { tag: { name } });
    expect(answer).toEqual(errors.invalid('tag.name blank'));
    expect(await namesOf(ann)).toEqual([]);
  });

  it.each(FORBIDDEN_NAMES.map((name) => [visibly(name), name]))('refuses the characters of %s', async (_, name) => {
    const answer = await app.as(ann).post('/api/v1/tags', { tag: { name } });
    expect(answer).toEqual(errors.invalid('tag.name invalid_characters'));
    expect(await namesOf(ann)).toEqual([]);
  });

  it.each(REORDERED_NAMES.map((name) => [visibly(name), name]))(
    'refuses what reorders or breaks %s',
    async (_, name) => {
      const answer = await app.as(ann).post('/api/v1/tags', { tag: { name } });
      expect(answer).toEqual(errors.invalid('tag.name invalid_characters of order'));
      expect(await namesOf(ann)).toEqual([]);
    },
  );

  it('tells all faults of a name at once', async () => {
    const answer = await app.as(ann).post('/api/v1/tags', { tag: { name: '\u0000'.repeat(31) } });
    expect(answer).toEqual(errors.invalid('tag.name blank', 'tag.name too_long', 'tag.name invalid_characters'));
  });

  it('refuses a missing name', async () => {
    expect(await app.as(ann).post('/api/v1/tags', { tag: {} })).toEqual(errors.invalid('tag.name required'));
  });

  it.each(NOT_TEXTS.map((name) => [JSON.stringify(name), name]))('makes no name of %s', async (_, name) => {
    const answer = await app.as(ann).post('/api/v1/tags', { tag: { name } });
    expect(answer).toEqual(errors.invalid('tag.name invalid_type'));
    expect(await namesOf(ann)).toEqual([]);
  });

  it.each(bodiesWithout('tag'))('answers %s like every body without its wrapper', async (_, body) => {
    expect(await app.as(ann).post('/api/v1/tags', body)).toEqual(errors.invalid('tag wrapper_missing'));
    expect(await namesOf(ann)).toEqual([]);
  });

  it('answers a request without a body like one without its wrapper', async () => {
    expect(await app.as(ann).post('/api/v1/tags')).toEqual(errors.invalid('tag wrapper_missing'));
  });

  it('ignores fields that are not the client’s to set', async () => {
    const other = await app.make.person();
    const sent = { id: 999, user_id: other.id, wins_count: 50, created_at: '2000-01-01T00:00:00.000Z', nope: [{}] };
    const answer = await app.as(ann).post<Tag>('/api/v1/tags', { tag: { name: 'ok', ...sent }, space: { name: 'x' } });
    expect(answer).toMatchObject({ status: 201, body: { name: 'ok', wins_count: 0 } });
    expect(answer.body.created_at).not.toBe(sent.created_at);
    expect(await namesOf(ann)).toEqual(['ok']);
    expect(await namesOf(other)).toEqual([]);
  });

  it.each(SAME_NAMES)('refuses %j beside %j', async (second, first) => {
    const { id } = await tag(first);
    await tag(first, await app.make.person());
    const answer = await app.as(ann).post('/api/v1/tags', { tag: { name: second } });
    expect(answer).toEqual(errors.taken(id));
    expect(await namesOf(ann)).toEqual([first.normalize('NFC').trim()]);
  });

  it.each(DIFFERENT_NAMES)('takes %j beside %j', async (second, first) => {
    await tag(first);
    await tag(second);
    expect(new Set(await namesOf(ann))).toEqual(new Set([first, second]));
  });

  it('takes a name that only another user has', async () => {
    await tag('Launch', await app.make.person());
    expect((await tag('launch')).name).toBe('launch');
  });

  it('makes one tag of twenty creates at once', async () => {
    const names = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'race' : 'RACE'));
    const answers = await Promise.all(names.map((name) => app.as(ann).post<Tag>('/api/v1/tags', { tag: { name } })));
    const { body: made } = answers.find(({ status }) => status === 201)!;
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toEqual(Array.from({ length: 19 }, () => errors.taken(made.id)));
    expect(await countRows(app.dataSource, 'tags', ann)).toBe(1);
  });
});

describe('PATCH /api/v1/tags/:id', () => {
  it('renames a tag, which stays on its wins', async () => {
    const old = await tag('old');
    await app.make.wins(ann, await spaceOf(ann), { count: 2, tagIds: [old.id] });
    const answer = await app.as(ann).patch(`/api/v1/tags/${old.id}`, { tag: { name: '  new ' } });
    expect(answer).toMatchObject({ status: 200, body: { ...old, name: 'new', wins_count: 2 } });
    expect((await app.as(ann).get(`/api/v1/tags/${old.id}`)).body).toEqual(answer.body);
    expect(await countRows(app.dataSource, 'win_tags', ann)).toBe(2);
  });

  it('renames a tag to its own name, in other capitals and again', async () => {
    const cli = await tag('cli');
    for (const name of ['CLI', 'CLI', 'Cli', 'cli']) {
      const answer = await app.as(ann).patch(`/api/v1/tags/${cli.id}`, { tag: { name } });
      expect(answer).toMatchObject({ status: 200, body: { ...cli, name } });
    }
  });

  it('lets a tag have the name that another gave up', async () => {
    const [first, second] = [await tag('first'), await tag('second')];
    await app.as(ann).patch(`/api/v1/tags/${first.id}`, { tag: { name: 'third' } });
    const answer = await app.as(ann).patch(`/api/v1/tags/${second.id}`, { tag: { name: 'First' } });
    expect(answer).toMatchObject({ status: 200, body: { ...second, name: 'First' } });
  });

  it('refuses two renames that would swap names at the same moment', async () => {
    const [first, second] = [await tag('first'), await tag('second')];
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        app.as(ann).patch(`/api/v1/tags/${first.id}`, { tag: { name: 'second' } }),
        app.as(ann).patch(`/api/v1/tags/${second.id}`, { tag: { name: 'first' } }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([422, 422]);
    }
  });

  it('takes a comma as an ordinary character of a name', async () => {
    const { id } = await tag('one');
    const answer = await app.as(ann).patch(`/api/v1/tags/${id}`, { tag: { name: 'one, two' } });
    expect(answer).toMatchObject({ status: 200, body: { name: 'one, two' } });
  });

  it.each([
    ['as it is', 'star'],
    ['in other capitals', 'STAR'],
    ['padded', '\u00a0star '],
  ])('refuses the name of another tag, %s', async (_, name) => {
    const [high, star] = [await tag('high'), await tag('star')];
    const answer = await app.as(ann).patch(`/api/v1/tags/${high.id}`, { tag: { name } });
    expect(answer).toEqual(errors.taken(star.id));
    expect((await app.as(ann).get('/api/v1/tags')).body).toEqual([high, star]);
  });

  it.each([
    ['a blank one', '\u200b', errors.invalid('tag.name blank')],
    ['31 characters', 'x'.repeat(31), errors.invalid('tag.name too_long')],
    ['a control character', 'a\u0000b', errors.invalid('tag.name invalid_characters')],
    ['null', null, errors.invalid('tag.name invalid_type')],
    ['a number', 123, errors.invalid('tag.name invalid_type')],
    ['an object', { a: 1 }, errors.invalid('tag.name invalid_type')],
    ['none', undefined, errors.invalid('tag.name required')],
  ])('refuses a name that is %s', async (_, name, refused) => {
    const launch = await tag('Launch');
    expect(await app.as(ann).patch(`/api/v1/tags/${launch.id}`, { tag: { name } })).toEqual(refused);
    expect((await app.as(ann).get(`/api/v1/tags/${launch.id}`)).body).toEqual(launch);
  });

  it.each(bodiesWithout('tag'))('answers %s like every body without its wrapper', async (_, body) => {
    const launch = await tag('Launch');
    expect(await app.as(ann).patch(`/api/v1/tags/${launch.id}`, body)).toEqual(errors.invalid('tag wrapper_missing'));
    expect((await app.as(ann).get(`/api/v1/tags/${launch.id}`)).body).toEqual(launch);
  });

  it('ignores fields that are not the client’s to set', async () => {
    const other = await app.make.person();
    const launch = await tag('Launch');
    const sent = { name: 'ok', id: 999, user_id: other.id, wins_count: 50, created_at: '2000-01-01T00:00:00.000Z' };
    const answer = await app.as(ann).patch(`/api/v1/tags/${launch.id}`, { tag: sent });
    expect(answer).toMatchObject({ status: 200, body: { ...launch, name: 'ok' } });
    expect(await namesOf(ann)).toEqual(['ok']);
    expect(await namesOf(other)).toEqual([]);
  });

  it('answers 404 to an id that no tag has, once the body is valid', async () => {
    const { id } = await tag('gone');
    await app.as(ann).delete(`/api/v1/tags/${id}`);
    const rename = (name: string) => app.as(ann).patch(`/api/v1/tags/${id}`, { tag: { name } });
    expect(await rename('new')).toEqual(errors.noTag);
    expect(await rename('')).toEqual(errors.invalid('tag.name blank'));
  });

  it('gives a name to one of ten tags that ask for it at once', async () => {
    const tags = await Promise.all(Array.from({ length: 10 }, (_, n) => tag(`tag ${n}`)));
    const answers = await Promise.all(
      tags.map(({ id }) => app.as(ann).patch<Tag>(`/api/v1/tags/${id}`, { tag: { name: 'winner' } })),
    );
    const { body: winner } = answers.find(({ status }) => status === 200)!;
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toEqual(Array.from({ length: 9 }, () => errors.taken(winner.id)));
    expect((await namesOf(ann)).filter((name) => name === 'winner')).toHaveLength(1);
  });
});

describe('DELETE /api/v1/tags/:id', () => {
  it('deletes a tag and answers nothing', async () => {
    const [kept, gone] = [await tag('kept'), await tag('gone')];
    const answer = await app.as(ann).delete(`/api/v1/tags/${gone.id}`);
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect((await app.as(ann).get('/api/v1/tags')).body).toEqual([kept]);
    expect(await app.as(ann).delete(`/api/v1/tags/${gone.id}`)).toEqual(errors.noTag);
  });

  it('keeps the wins that had the tag, and their other tags', async () => {
    const [kept, gone] = [await tag('kept'), await tag('gone')];
    const spaceId = await spaceOf(ann);
    await app.make.wins(ann, spaceId, { count: 2, tagIds: [kept.id, gone.id] });
    await app.as(ann).delete(`/api/v1/tags/${gone.id}`);
    expect(await countRows(app.dataSource, 'wins', ann)).toBe(2);
    expect(await countRows(app.dataSource, 'win_tags', ann)).toBe(2);
    expect((await app.as(ann).get('/api/v1/tags')).body).toEqual([{ ...kept, wins_count: 2 }]);
    expect((await app.as(ann).get(`/api/v1/spaces/${spaceId}`)).body).toMatchObject({ wins_count: 2 });
  });

  it('frees the name', async () => {
    const { id } = await tag('again');
    await app.as(ann).delete(`/api/v1/tags/${id}`);
    expect((await tag('Again')).id).not.toBe(id);
  });

  it('deletes a tag once, however many ask at the same time', async () => {
    const { id } = await tag('once');
    const answers = await Promise.all(Array.from({ length: 5 }, () => app.as(ann).delete(`/api/v1/tags/${id}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404, 404]);
  });
});

describe("another user's tag", () => {
  it.each(['GET', 'PATCH', 'DELETE'])('is to %s as if it did not exist', async (method) => {
    const bob = await app.make.person();
    const theirs = await tag('theirs', bob);
    const { id: unused } = await tag('gone');
    await app.as(ann).delete(`/api/v1/tags/${unused}`);

    const json = method === 'PATCH' ? { tag: { name: 'mine' } } : undefined;
    const headers = { 'x-request-id': 'the-same' };
    const [foreign, missing] = [
      await app.as(ann).request(method, `/api/v1/tags/${theirs.id}`, { json, headers }),
      await app.as(ann).request(method, `/api/v1/tags/${unused}`, { json, headers }),
    ];
    expect(foreign).toEqual(errors.noTag);
    expect(foreign.text).toBe(missing.text);
    expect((await app.as(bob).get(`/api/v1/tags/${theirs.id}`)).body).toEqual(theirs);
  });
});
