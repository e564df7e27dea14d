import type { Space } from '../../src/spaces/dto/space.js';
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
const [LOWEST, HIGHEST] = [-2_147_483_648, 2_147_483_647];

const EMOJI = [
  '🚀',
  '❤\ufe0f',
  '❤',
  '☺',
  '⚡',
  '©',
  '🇩🇪',
  '🇺🇳',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  '🏳\ufe0f\u200d🌈',
  '🏳\u200d🌈',
  '1\ufe0f\u20e3',
  '#\ufe0f\u20e3',
  '1\u20e3',
  '👍🏽',
  '☝🏿',
  '👩🏾\u200d🚀',
  '👨\u200d👩\u200d👧\u200d👦',
  '👩🏻\u200d❤\ufe0f\u200d💋\u200d👨🏿',
];

const NO_EMOJI = [
  'a',
  '1',
  '#',
  '*',
  '🚀🚀',
  '🚀 ',
  ' ',
  '🚀a',
  '🇩',
  '🇩🇪🇫🇷',
  '🇽🇽',
  '\u200d',
  '\ufe0f',
  '🏽👍',
  '\u0000',
  '\ud83d',
  '🚀'.repeat(1000),
  ':rocket:',
];

let app: TestApp;
let secondInstance: TestApp;
let ann: Person;

beforeAll(async () => {
  app = await startApp();
  secondInstance = await startApp();
});
afterAll(async () => {
  await app.close();
  await secondInstance.close();
});
beforeEach(async () => {
  ann = await app.make.person({ plan: 'pro' });
});

const create = (person: Person, fields: object = {}, on = app) =>
  on.as(person).post<Space>('/api/v1/spaces', { space: { name: 'Work', ...fields } });

async function space(fields: object = {}, person = ann): Promise<Space> {
  const answer = await create(person, fields);
  expect(answer.status).toBe(201);
  return answer.body;
}

async function spacesOf(person: Person): Promise<Space[]> {
  return (await app.as(person).get<Space[]>('/api/v1/spaces?per_page=100')).body;
}

async function read({ id }: Space, person = ann): Promise<Space> {
  return (await app.as(person).get<Space>(`/api/v1/spaces/${id}`)).body;
}

async function freePersonWith(count: number): Promise<[Person, Space[]]> {
  const person = await app.make.person({ plan: 'free' });
  const spaces: Space[] = [];
  for (let n = 0; n < count; n++) spaces.push((await create(person)).body);
  return [person, spaces];
}

const update = ({ id }: Space, fields: object, person = ann) =>
  app.as(person).patch<Space>(`/api/v1/spaces/${id}`, { space: fields });

const remove = ({ id }: Space, person = ann) => app.as(person).delete(`/api/v1/spaces/${id}`);

describe('GET /api/v1/spaces', () => {
  it('answers an empty array to who has no spaces', async () => {
    const answer = await app.as(ann).get('/api/v1/spaces');
    expect(answer).toMatchObject({ status: 200, body: [] });
    expect(answer.headers.get('x-total-count')).toBe('0');
  });

  it('lists whole spaces by position', async () => {
    const last = await space({ position: 7, emoji: '🚀' });
    const first = await space({ position: -3 });
    const middle = await space({ position: 0 });
    expect(await spacesOf(ann)).toEqual([first, middle, last]);
  });

  it('lists spaces of one position by id, whatever is read or changed in between', async () => {
    const spaces = [await space({ position: 1 }), await space({ position: 1 }), await space({ position: 1 })];
    const ids = spaces.map(({ id }) => id);
    await update(spaces[0]!, { name: 'Renamed' });
    for (const each of spaces) {
      expect((await spacesOf(ann)).map(({ id }) => id)).toEqual(ids);
      await read(each);
    }
  });

  it("lists none of another user's spaces", async () => {
    await space({}, await app.make.person());
    const mine = await space();
    expect(await spacesOf(ann)).toEqual([mine]);
  });

  it('writes nothing', async () => {
    const before = await space();
    await spacesOf(ann);
    expect(await read(before)).toEqual(before);
  });
});

describe('GET /api/v1/spaces/:id', () => {
  it('answers the space with the number of its wins', async () => {
    const work = await space();
    await app.make.wins(ann, work.id, { count: 4 });
    const answer = await app.as(ann).get(`/api/v1/spaces/${work.id}`);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({ ...work, wins_count: 4 });
  });

  it('answers 404 to an id that no space has', async () => {
    const gone = await space();
    await remove(gone);
    expect(await app.as(ann).get(`/api/v1/spaces/${gone.id}`)).toEqual(errors.noSpace);
  });
});

describe('POST /api/v1/spaces', () => {
  it('creates a space and says where it is', async () => {
    const before = Date.now();
    const fields = { name: 'Work', emoji: '🚀', position: 5 };
    const answer = await app.as(ann).post<Space>('/api/v1/spaces', { space: fields });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      ...fields,
      wins_count: 0,
      created_at: expect.stringMatching(TIME),
      updated_at: answer.body.created_at,
    });
    expect(Math.abs(Date.parse(answer.body.created_at) - before)).toBeLessThan(5_000);
    expect(answer.headers.get('location')).toBe(`/api/v1/spaces/${answer.body.id}`);
    expect(await read(answer.body)).toEqual(answer.body);
  });

  it('needs no more than a name', async () => {
    expect(await space({ name: 'Work' })).toMatchObject({ emoji: null, position: 0 });
  });

  it('lets two spaces share a name', async () => {
    expect((await space({ name: 'Work' })).id).not.toBe((await space({ name: 'Work' })).id);
  });

  it.each(PADDINGS.map((padding) => [visibly(padding), padding]))('trims %s off both ends', async (_, padding) => {
    expect(await space({ name: `${padding}a b${padding}` })).toMatchObject({ name: 'a b' });
  });

  it.each(ODD_NAMES.map(([sent, stored]) => [visibly(sent), sent, stored]))('takes %s', async (_, sent, stored) => {
    expect(await read(await space({ name: sent }))).toMatchObject({ name: stored });
  });

  it.each([
    ['letters', 'x'.repeat(100)],
    ['emoji', '😀'.repeat(100)],
    ['letters with decomposed accents', 'e\u0301'.repeat(100)],
  ])('takes 100 %s', async (_, name) => {
    expect(await space({ name })).toMatchObject({ name: name.normalize('NFC') });
  });

  it.each([
    ['letters', 'x'.repeat(101)],
    ['emoji', '😀'.repeat(101)],
    ['letters that NFC takes apart', '\u0958'.repeat(51)],
  ])('refuses more than 100 characters: %s', async (_, name) => {
    const answer = await app.as(ann).post('/api/v1/spaces', { space: { name } });
    expect(answer).toEqual(errors.invalid('space.name too_long'));
    expect(await spacesOf(ann)).toEqual([]);
  });

  it.each(BLANK_NAMES.map((name) => [visibly(name), name]))('refuses the blank name %s', async (_, name) => {
    const answer = await app.as(ann).post('/api/v1/spaces', { space: { name } });
    expect(answer).toEqual(errors.invalid('space.name blank'));
    expect(await spacesOf(ann)).toEqual([]);
  });

  it.each(FORBIDDEN_NAMES.map((name) => [visibly(name), name]))('refuses the characters of %s', async (_, name) => {
    const answer = await app.as(ann).post('/api/v1/spaces', { space: { name } });
    expect(answer).toEqual(errors.invalid('space.name invalid_characters'));
    expect(await spacesOf(ann)).toEqual([]);
  });

  it.each(REORDERED_NAMES.map((name) => [visibly(name), name]))(
    'refuses what reorders or breaks %s',
    async (_, name) => {
      const answer = await app.as(ann).post('/api/v1/spaces', { space: { name } });
      expect(answer).toEqual(errors.invalid('space.name invalid_characters of order'));
      expect(await spacesOf(ann)).toEqual([]);
    },
  );

  it.each(NOT_TEXTS.map((name) => [JSON.stringify(name), name]))('makes no name of %s', async (_, name) => {
    const answer = await app.as(ann).post('/api/v1/spaces', { space: { name } });
    expect(answer).toEqual(errors.invalid('space.name invalid_type'));
    expect(await spacesOf(ann)).toEqual([]);
  });

  it('tells the faults of all fields at once', async () => {
    const answer = await app.as(ann).post('/api/v1/spaces', { space: { emoji: 'a', position: 1.5 } });
    expect(answer).toEqual(
      errors.invalid('space.name required', 'space.emoji not_an_emoji', 'space.position invalid_type'),
    );
  });

  it.each(bodiesWithout('space'))('answers %s like every body without its wrapper', async (_, body) => {
    expect(await app.as(ann).post('/api/v1/spaces', body)).toEqual(errors.invalid('space wrapper_missing'));
    expect(await spacesOf(ann)).toEqual([]);
  });

  it('answers a request without a body like one without its wrapper', async () => {
    expect(await app.as(ann).post('/api/v1/spaces')).toEqual(errors.invalid('space wrapper_missing'));
  });

  it('ignores fields that are not the client’s to set', async () => {
    const other = await app.make.person();
    const time = '2000-01-01T00:00:00.000Z';
    const made = await space({ id: 999, user_id: other.id, wins_count: 50, created_at: time, updated_at: time });
    expect(made.wins_count).toBe(0);
    expect(made.created_at).not.toBe(time);
    expect(made.updated_at).toBe(made.created_at);
    expect(await spacesOf(ann)).toEqual([made]);
    expect(await spacesOf(other)).toEqual([]);
  });

  it.each(EMOJI.map((emoji) => [emoji, visibly(emoji)]))('takes the emoji %s (%s)', async (emoji) => {
    const made = await space({ emoji });
    expect(made.emoji).toBe(emoji);
    await update(made, { name: 'Renamed' });
    expect(await read(made)).toMatchObject({ name: 'Renamed', emoji });
  });

  it.each(NO_EMOJI.map((emoji) => [visibly(emoji).slice(0, 60), emoji]))('refuses %s as an emoji', async (_, emoji) => {
    const answer = await app.as(ann).post('/api/v1/spaces', { space: { name: 'Work', emoji } });
    expect(answer).toEqual(errors.invalid('space.emoji not_an_emoji'));
    expect(await spacesOf(ann)).toEqual([]);
  });

  it.each([1, true, ['🚀'], {}])('makes no emoji of %j', async (emoji) => {
    const answer = await app.as(ann).post('/api/v1/spaces', { space: { name: 'Work', emoji } });
    expect(answer).toEqual(errors.invalid('space.emoji invalid_type'));
  });

  it.each([null, ''])('takes %j as no emoji', async (emoji) => {
    expect(await space({ emoji })).toMatchObject({ emoji: null });
  });

  it('puts a space without a position last', async () => {
    const positions = [await space(), await space(), await space({ position: 41 }), await space()];
    expect(positions.map(({ position }) => position)).toEqual([0, 1, 41, 42]);
    expect((await spacesOf(ann)).at(-1)).toEqual(positions.at(-1));
  });

  it('puts it last behind negative positions too', async () => {
    await space({ position: -10 });
    expect(await space()).toMatchObject({ position: -9 });
  });

  it('puts it last behind the highest position there is', async () => {
    const highest = await space({ position: HIGHEST });
    const last = await space();
    expect(await spacesOf(ann)).toEqual([highest, last]);
  });

  it.each([
    ['0', 0],
    ['-0', 0],
    ['-1', -1],
    ['2.0', 2],
    ['2e1', 20],
    [`${LOWEST}`, LOWEST],
    [`${HIGHEST}`, HIGHEST],
  ])('takes the position %s', async (written, position) => {
    const raw = `{"space":{"name":"Work","position":${written}}}`;
    const answer = await app.as(ann).post<Space>('/api/v1/spaces', undefined, { raw });
    expect(answer.status).toBe(201);
    expect(answer.text).toContain(`"position":${position},`);
  });

  it.each([
    ['a fraction', '1.5', errors.invalid('space.position invalid_type')],
    ['text', '"2"', errors.invalid('space.position invalid_type')],
    ['true', 'true', errors.invalid('space.position invalid_type')],
    ['null', 'null', errors.invalid('space.position invalid_type')],
    ['an array', '[1]', errors.invalid('space.position invalid_type')],
    ['more than a double holds', '1e400', errors.invalid('space.position invalid_type')],
    ['too high', `${HIGHEST + 1}`, errors.invalid('space.position out_of_range')],
    ['too low', `${LOWEST - 1}`, errors.invalid('space.position out_of_range')],
    ['far too high', '1e300', errors.invalid('space.position out_of_range')],
  ])('refuses a position that is %s', async (_, written, refused) => {
    const raw = `{"space":{"name":"Work","position":${written}}}`;
    expect(await app.as(ann).post('/api/v1/spaces', undefined, { raw })).toEqual(refused);
    expect(await spacesOf(ann)).toEqual([]);
  });
});

describe('PATCH /api/v1/spaces/:id', () => {
  it('answers the updated space', async () => {
    const work = await space();
    const changes = { name: 'Home', emoji: '🏠', position: -5 };
    const answer = await update(work, changes);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...work, ...changes, updated_at: expect.stringMatching(TIME) });
    expect(await read(work)).toEqual(answer.body);
  });

  it.each([
    ['name', { name: 'Home' }],
    ['emoji', { emoji: '🏠' }],
    ['position', { position: 9 }],
  ])('changes the %s alone when only that is sent', async (_, changes) => {
    const work = await space({ emoji: '🚀', position: 3 });
    const { body } = await update(work, changes);
    expect(body).toEqual({ ...work, ...changes, updated_at: expect.any(String) });
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(work.updated_at));
  });

  it.each([
    ['nothing', {}],
    ['what is there already', { name: 'Work', emoji: '🚀', position: 3 }],
    ['its own name in white space', { name: ' Work\u00a0' }],
    ['only what it ignores', { id: 1, wins_count: 9, created_at: '2000-01-01T00:00:00.000Z', user_id: 1 }],
  ])('moves no time when %s is sent', async (_, changes) => {
    const work = await space({ emoji: '🚀', position: 3 });
    const answer = await update(work, changes);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual(work);
  });

  it('takes a whole space back and ignores what is not the client’s to set', async () => {
    const other = await app.make.person();
    const work = await space();
    const sent = { ...work, name: 'Home', id: 999, user_id: other.id, wins_count: 50, created_at: '2000-01-01' };
    const { status, body } = await update(work, sent);
    expect(status).toBe(200);
    expect(body).toEqual({ ...work, name: 'Home', updated_at: expect.any(String) });
    expect(await spacesOf(other)).toEqual([]);
  });

  it.each([null, ''])('takes the emoji away when it is %j', async (emoji) => {
    const work = await space({ emoji: '🚀' });
    const { status, body } = await update(work, { emoji });
    expect(status).toBe(200);
    expect(body).toEqual({ ...work, emoji: null, updated_at: expect.any(String) });
  });

  it('moves a space before others, behind none of the same position', async () => {
    const [first, second, third] = [await space(), await space(), await space()];
    await update(third, { position: 0 });
    expect((await spacesOf(ann)).map(({ id }) => id)).toEqual([first.id, third.id, second.id]);
    await update(third, { position: -1 });
    expect((await spacesOf(ann)).map(({ id }) => id)).toEqual([third.id, first.id, second.id]);
  });

  it('does not count as a change when wins come and go', async () => {
    const work = await space();
    await app.make.wins(ann, work.id);
    expect(await read(work)).toEqual({ ...work, wins_count: 1 });
  });

  it.each([
    ['a name of null', { name: null }, errors.invalid('space.name invalid_type')],
    ['a name that is a number', { name: 1 }, errors.invalid('space.name invalid_type')],
    ['a blank name', { name: ' \u200b' }, errors.invalid('space.name blank')],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, errors.invalid('space.name too_long')],
    ['half a surrogate pair', { name: 'a\ud83d' }, errors.invalid('space.name invalid_characters')],
    ['two emoji', { emoji: '🚀🚀' }, errors.invalid('space.emoji not_an_emoji')],
    ['an emoji that is NUL', { emoji: '\u0000' }, errors.invalid('space.emoji not_an_emoji')],
    ['an emoji that is a number', { emoji: 1 }, errors.invalid('space.emoji invalid_type')],
    ['a position of null', { position: null }, errors.invalid('space.position invalid_type')],
    ['a position that is text', { position: '2' }, errors.invalid('space.position invalid_type')],
    ['a position beyond 32 bits', { position: HIGHEST + 1 }, errors.invalid('space.position out_of_range')],
    [
      'one good field among bad ones',
      { name: '', emoji: '🚀', position: 1.5 },
      errors.invalid('space.name blank', 'space.position invalid_type'),
    ],
  ])('refuses %s and changes nothing', async (_, changes, refused) => {
    const work = await space();
    expect(await update(work, changes)).toEqual(refused);
    expect(await read(work)).toEqual(work);
  });

  it.each(bodiesWithout('space'))('answers %s like every body without its wrapper', async (_, body) => {
    const work = await space();
    expect(await app.as(ann).patch(`/api/v1/spaces/${work.id}`, body)).toEqual(errors.invalid('space wrapper_missing'));
    expect(await read(work)).toEqual(work);
  });

  it('answers a request without a body like one without its wrapper', async () => {
    const work = await space();
    expect(await app.as(ann).patch(`/api/v1/spaces/${work.id}`)).toEqual(errors.invalid('space wrapper_missing'));
  });

  it('answers 404 to an id that no space has, once the body is valid', async () => {
    const gone = await space();
    await remove(gone);
    expect(await update(gone, { name: 'New' })).toEqual(errors.noSpace);
    expect(await update(gone, {})).toEqual(errors.noSpace);
    expect(await update(gone, { name: '' })).toEqual(errors.invalid('space.name blank'));
  });
});

describe('DELETE /api/v1/spaces/:id', () => {
  it('deletes a space and answers nothing', async () => {
    const [kept, gone] = [await space(), await space()];
    expect(await remove(gone)).toMatchObject({ status: 204, text: '' });
    expect(await spacesOf(ann)).toEqual([kept]);
    expect(await remove(gone)).toEqual(errors.noSpace);
  });

  it('deletes all wins in it, no others, and lowers the counts of their tags', async () => {
    const [kept, gone] = [await space(), await space()];
    const made = async (name: string) => (await app.as(ann).post<Tag>('/api/v1/tags', { tag: { name } })).body;
    const [both, only] = [await made('both'), await made('only')];
    await app.make.wins(ann, kept.id, { count: 2, tagIds: [both.id] });
    await app.make.wins(ann, gone.id, { count: 3, tagIds: [both.id, only.id] });

    await remove(gone);

    expect(await countRows(app.dataSource, 'wins', ann)).toBe(2);
    expect(await spacesOf(ann)).toEqual([{ ...kept, wins_count: 2 }]);
    expect((await app.as(ann).get('/api/v1/tags')).body).toEqual([{ ...both, wins_count: 2 }, only]);
  });

  it('deletes a space once, however many ask at the same time', async () => {
    const work = await space();
    await app.make.wins(ann, work.id, { count: 3 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(work)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404, 404]);
    expect(await countRows(app.dataSource, 'wins', ann)).toBe(0);
  });
});

describe("another user's space", () => {
  it.each(['GET', 'PATCH', 'DELETE'])('is to %s as if it did not exist', async (method) => {
    const bob = await app.make.person();
    const theirs = await space({}, bob);
    await app.make.wins(bob, theirs.id);
    const unused = await space();
    await remove(unused);

    const json = method === 'PATCH' ? { space: { name: 'mine' } } : undefined;
    const headers = { 'x-request-id': 'the-same' };
    const [foreign, missing] = [
      await app.as(ann).request(method, `/api/v1/spaces/${theirs.id}`, { json, headers }),
      await app.as(ann).request(method, `/api/v1/spaces/${unused.id}`, { json, headers }),
    ];
    expect(foreign).toEqual(errors.noSpace);
    expect(foreign.text).toBe(missing.text);
    expect(await read(theirs, bob)).toEqual({ ...theirs, wins_count: 1 });
  });
});

describe('the limit of the free plan', () => {
  it('refuses the fourth space and says where to get a larger plan', async () => {
    const [person, spaces] = await freePersonWith(3);
    expect(await create(person)).toEqual(errors.spaceLimit);
    expect(await spacesOf(person)).toEqual(spaces);
  });

  it('refuses what is not valid before it refuses what is too much', async () => {
    const [person] = await freePersonWith(3);
    expect(await create(person, { name: ' ' })).toEqual(errors.invalid('space.name blank'));
  });

  it('leaves everything else possible at the limit', async () => {
    const [person, [first, ...others]] = await freePersonWith(3);
    const { status, body } = await update(first!, { name: 'Home' }, person);
    expect(status).toBe(200);
    expect(await spacesOf(person)).toEqual([body, ...others]);
  });

  it('gives the last place to one of ten creates at once', async () => {
    const [person] = await freePersonWith(2);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => create(person, { name: `S${n}` })));
    expect(answers.filter(({ status }) => status !== 201)).toEqual(Array.from({ length: 9 }, () => errors.spaceLimit));
    const list = await app.as(person).get('/api/v1/spaces');
    expect(list.headers.get('x-total-count')).toBe('3');
  });

  it('gives three places to ten creates at once on two instances', async () => {
    const [person] = await freePersonWith(0);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => create(person, {}, n % 2 === 0 ? app : secondInstance)),
    );
    expect(answers.filter(({ status }) => status !== 201)).toEqual(Array.from({ length: 7 }, () => errors.spaceLimit));
    expect(await countRows(app.dataSource, 'spaces', person)).toBe(3);
  });

  it('holds against a double click, and a delete frees the place at once', async () => {
    const [person, [first]] = await freePersonWith(2);
    const answers = await Promise.all([create(person), create(person)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 402]);
    await remove(first!, person);
    expect(await create(person)).toMatchObject({ status: 201 });
    expect(await create(person)).toEqual(errors.spaceLimit);
  });

  it('does not bind the plan `pro`', async () => {
    for (let n = 0; n < 5; n++) await space();
    expect(await spacesOf(ann)).toHaveLength(5);
  });

  it('lets who had more before the plan was lowered keep, edit and delete them', async () => {
    const spaces = [await space(), await space(), await space(), await space(), await space()];
    await app.make.auth.setPlan(ann.email, 'free');
    expect(await spacesOf(ann)).toEqual(spaces);
    expect(await update(spaces[4]!, { name: 'Home' })).toMatchObject({ status: 200, body: { name: 'Home' } });
    expect(await create(ann)).toEqual(errors.spaceLimit);
    for (const each of spaces.slice(0, 2)) {
      expect(await remove(each)).toMatchObject({ status: 204 });
      expect(await create(ann)).toEqual(errors.spaceLimit);
    }
    expect(await remove(spaces[2]!)).toMatchObject({ status: 204 });
    expect(await create(ann)).toMatchObject({ status: 201 });
  });

  it('ends as soon as the plan is raised', async () => {
    const [person] = await freePersonWith(3);
    await app.make.auth.setPlan(person.email, 'pro');
    expect(await create(person)).toMatchObject({ status: 201 });
  });

  it('counts only the caller’s own spaces', async () => {
    await freePersonWith(3);
    const [person] = await freePersonWith(0);
    expect(await create(person)).toMatchObject({ status: 201 });
  });
});
