import { LIMITS } from '../../src/auth/limits.js';
import { FAULTS } from '../../src/common/error-codes.js';
import { startApp, type TestApp } from '../harness/app.js';
import { fault, invalid } from '../harness/errors.js';
import type { Person } from '../harness/factories.js';

const PARENT_ENDS = '2030-01-31T12:00:00.000Z';

let app: TestApp;
let ann: Person;

beforeAll(async () => {
  app = await startApp();
  const made = await app.make.person();
  ann = { ...made, token: await app.make.token(made.id, { expiresAt: new Date(PARENT_ENDS) }) };
  await app.dataSource.query('update users set tags_count = $2 where id = $1', [ann.id, LIMITS.tags]);
});
afterAll(() => app.close());

/** What is sent: a body to a list or, as a change, to a win, or the query of the list of wins. */
type Sent = [path: 'tags' | 'spaces' | 'tokens' | 'wins' | 'wins/1', body: unknown] | string;

const tag = (name?: unknown): Sent => ['tags', { tag: { name } }];
const space = (fields: object): Sent => ['spaces', { space: { name: 'Work', ...fields } }];
const token = (fields: object): Sent => ['tokens', { token: { name: 'Laptop', ...fields } }];
const win = (fields: object): Sent => ['wins', { win: { body: 'x', space_id: 1, ...fields } }];
const changes = (fields: object): Sent => ['wins/1', { win: fields }];
const names = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`);

/** Every sentence, by what is sent, and what a translation of it needs. */
const SENTENCES: [sent: Sent, field: string, code: keyof typeof FAULTS, message: string, params?: object][] = [
  [['tags', { name: 'x' }], 'tag', 'wrapper_missing', 'Put the fields into {"tag": {…}}'],
  [['spaces', []], 'space', 'wrapper_missing', 'Put the fields into {"space": {…}}'],
  [['tokens', { token: 'x' }], 'token', 'wrapper_missing', 'Put the fields into {"token": {…}}'],
  [['wins', { Win: {} }], 'win', 'wrapper_missing', 'Put the fields into {"win": {…}}'],
  [tag(), 'tag.name', 'required', 'Is required'],
  [tag(7), 'tag.name', 'invalid_type', 'Must be a string', { expected: 'string' }],
  [tag(' '), 'tag.name', 'blank', 'Must not be blank'],
  [tag('x'.repeat(31)), 'tag.name', 'too_long', 'Must have at most 30 characters', { max: 30 }],
  [tag('a\u0000b'), 'tag.name', 'invalid_characters', 'Must not have control characters'],
  [tag('a\u2028b'), 'tag.name', 'invalid_characters', 'Must not have line separators or marks of direction'],
  [tag('x'), 'tag', 'limit_reached', `A user can have at most ${LIMITS.tags} tags`, { max: LIMITS.tags }],
  [space({ name: 'x'.repeat(101) }), 'space.name', 'too_long', 'Must have at most 100 characters', { max: 100 }],
  [space({ emoji: 7 }), 'space.emoji', 'invalid_type', 'Must be a string or null', { expected: 'string' }],
  [space({ emoji: 'x' }), 'space.emoji', 'not_an_emoji', 'Must be exactly one emoji'],
  [space({ position: 1.5 }), 'space.position', 'invalid_type', 'Must be an integer', { expected: 'integer' }],
  [
    space({ position: 2 ** 31 }),
    'space.position',
    'out_of_range',
    'Must be from -2147483648 to 2147483647',
    { min: -(2 ** 31), max: 2 ** 31 - 1 },
  ],
  [
    token({ scope: 'admin' }),
    'token.scope',
    'not_a_choice',
    'Must be one of read, write',
    { choices: ['read', 'write'] },
  ],
  [token({ expires_at: 'soon' }), 'token.expires_at', 'not_a_time', 'Must be a time such as 2030-01-31T12:00:00Z'],
  [token({ expires_at: '2020-01-01T00:00:00Z' }), 'token.expires_at', 'in_the_past', 'Must be in the future'],
  [
    token({ expires_at: null }),
    'token.expires_at',
    'outlives_parent',
    `Must not be later than ${PARENT_ENDS}, when your own token expires`,
    { latest: PARENT_ENDS },
  ],
  [
    win({ body: 'a\u0000b' }),
    'win.body',
    'invalid_characters',
    'Must not have control characters other than tabs and line breaks',
  ],
  [
    win({ body: 'a\u0301'.padEnd(40, '\u0301') }),
    'win.body',
    'invalid_characters',
    'Must not have more than 30 combining marks in a row',
  ],
  [win({ body: 'x'.repeat(10_001) }), 'win.body', 'too_long', 'Must have at most 10000 characters', { max: 10_000 }],
  [win({ space_id: 0 }), 'win.space_id', 'not_found', 'Is not one of your spaces'],
  [win({ space_id: Number.MAX_SAFE_INTEGER }), 'win.space_id', 'not_found', 'Is not one of your spaces'],
  [win({ occurred_on: '2026-02-30' }), 'win.occurred_on', 'not_a_date', 'Must be a date such as 2026-01-31'],
  [win({ tag_names: 7 }), 'win.tag_names', 'invalid_type', 'Must be an array of strings', { expected: 'array' }],
  [win({ tag_names: names(51) }), 'win.tag_names', 'too_many', 'Must have at most 50 names', { max: 50 }],
  [win({ tag_names: ['\u200b'] }), 'win.tag_names', 'blank', 'Must not have a name that is blank'],
  [
    win({ tag_names: ['x'.repeat(31)] }),
    'win.tag_names',
    'too_long',
    'Must not have a name of more than 30 characters',
    { max: 30 },
  ],
  [
    win({ tag_names: ['a\u0007'] }),
    'win.tag_names',
    'invalid_characters',
    'Must not have a name with control characters',
  ],
  [changes({ space: { id: 1 } }), 'win.space', 'read_only', 'Send space_id instead', { instead: 'space_id' }],
  [changes({ tags: [] }), 'win.tags', 'read_only', 'Send tag_names instead', { instead: 'tag_names' }],
  ['page=two', 'page', 'not_an_integer', 'Must be an integer'],
  ['space_id=two', 'space_id', 'not_an_integer', 'Must be an integer'],
  [`${'tag=a&'.repeat(11)}`, 'tag', 'too_many', 'Must be there at most 10 times', { max: 10 }],
  [`${'space_id=1&'.repeat(51)}`, 'space_id', 'too_many', 'Must be there at most 50 times', { max: 50 }],
  ['untagged=maybe', 'untagged', 'not_a_choice', 'Must be one of true, false', { choices: ['true', 'false'] }],
  ['since=today', 'since', 'not_a_date', 'Must be a date such as 2026-01-31'],
  [`q=${'x'.repeat(201)}`, 'q', 'too_long', 'Must have at most 200 characters', { max: 200 }],
  [`q=${'x+'.repeat(11)}`, 'q', 'too_many', 'Must have at most 10 words', { max: 10 }],
];

describe('The sentence of a fault', () => {
  // A parameter that a row lacks would be the callback of an asynchronous test.
  const rows = SENTENCES.map(([sent, field, code, message, params]) => ({ sent, field, code, message, params }));

  it.each(rows)('of $field, $code: $message', async ({ sent, field, code, message, params }) => {
    const json = typeof sent === 'string' ? undefined : sent[1];
    const path = typeof sent === 'string' ? `wins?${sent}` : sent[0];
    const method = json === undefined ? 'GET' : path === 'wins/1' ? 'PATCH' : 'POST';
    const answer = await app.as(ann).request(method, `/api/v1/${path}`, { json });
    expect(answer).toEqual(invalid([fault(field, code, params ? [message, params] : [message])]));
  });
});

it.each([
  ['POST', '/api/v1/wins', { win: { body: 'x', space_id: 1, space: { constructor: {} } } }],
  ['POST', '/api/v1/wins', { win: { body: 'x', space_id: 1, tag_names: [{ constructor: {} }] } }],
  ['PUT', '/api/v1/spaces/order', { order: { space_ids: [{ constructor: {} }] } }],
  ['POST', '/api/v1/tags', { tag: { name: { constructor: {} } } }],
  ['POST', '/api/v1/spaces', { space: { name: 'x', emoji: { constructor: {} } } }],
  ['POST', '/api/v1/tokens', { token: { name: 'x', expires_at: { constructor: {} } } }],
])('%s %s takes a field called constructor for a value like any other: %j', async (method, path, json) => {
  expect((await app.as(await app.make.person()).request(method, path, { json })).status).toBe(422);
});
