import { startApp, type TestApp } from '../harness/app.js';
import type { Answer, Client } from '../harness/client.js';
import { document, expectSchema, resolved, type Content, type Operation } from '../harness/document.js';
import type { Person } from '../harness/factories.js';
import { exchange } from '../harness/raw.js';

/** The examples of the document: each is valid, and what the service takes and answers. */

let app: TestApp;
let ann: Person;
let api: Client;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
  api = app.as(ann);
});

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

/** The examples of something that has one or several, by name; the only one has none. */
function examplesOf({ example, examples = {} }: Content): [name: string, value: unknown][] {
  const named = Object.entries(examples).map(([name, { value }]): [string, unknown] => [name, value]);
  return example === undefined ? named : [['', example], ...named];
}

/** Every place of the document that has an example of its own. */
const places: [title: string, content: Content][] = [
  ...operations.flatMap(({ operationId, requestBody, responses, parameters }): [string, Content][] => [
    ...parameters.map(({ name, schema }): [string, Content] => [
      `${operationId} ${name}`,
      { schema, example: schema.example },
    ]),
    ...contentsOf(`${operationId} request`, requestBody ?? {}),
    ...Object.entries(responses).flatMap(([status, response]) => contentsOf(`${operationId} ${status}`, response)),
  ]),
  ...Object.entries(document.components.responses).flatMap(([name, response]) => contentsOf(name, response)),
  ...Object.entries(document.components.headers).map(([name, { schema }]): [string, Content] => [
    name,
    { schema, example: schema.example },
  ]),
  ...Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).map(([property, schema]): [string, Content] => [
      `${name}.${property}`,
      { schema, example: schema.example },
    ]),
  ),
];

function contentsOf(
  title: string,
  { content = {}, headers = {} }: Partial<Operation['responses'][string]>,
): [string, Content][] {
  return [
    ...Object.values(content).map((media): [string, Content] => [title, media]),
    ...Object.entries(headers)
      .filter(([, { $ref }]) => $ref === undefined)
      .map(([name, header]): [string, Content] => [
        `${title} ${name}`,
        { ...header, example: header.example ?? header.schema.example },
      ]),
  ];
}

describe('the examples of the document', () => {
  it('are valid', () => {
    let count = 0;
    for (const [title, content] of places) {
      for (const [name, value] of examplesOf(content)) {
        expectSchema(`${title} ${name}`, content.schema, value);
        count++;
      }
    }
    expect(count).toBeGreaterThan(150);
  });

  it('are there for every body that is sent or answered, and every header', () => {
    const bodies = operations.flatMap(({ operationId, requestBody, responses }) => [
      ...contentsOf(`${operationId} request`, requestBody ?? {}),
      ...Object.entries(responses).flatMap(([status, response]) =>
        contentsOf(`${operationId} ${status}`, resolved(response)),
      ),
    ]);
    const without = [...bodies, ...places.filter(([title]) => title in document.components.headers)]
      .filter(([, content]) => examplesOf(content).length === 0)
      .map(([title]) => title);
    expect(without).toEqual([]);
    expect(bodies.length).toBeGreaterThan(200);
  });
});

/** What needs a fault of the service or its database, its end, or a limit that is switched on. */
const NOT_TO_BE_ASKED_FOR = ['RateLimited', 'InternalError', 'Unavailable', 'NotReady'];

const post = (resource: string, field: string) => (value: unknown) =>
  api.post(`/api/v1/${resource}s`, { [resource]: { ...VALID[resource], [field]: value } });

const VALID: Record<string, object> = {
  tag: { name: 'Launch' },
  space: { name: 'Work' },
  win: { body: 'Shipped it' },
  token: { name: 'Laptop' },
};
const [tagName, spaceName] = [post('tag', 'name'), post('space', 'name')];
const [emoji, position] = [post('space', 'emoji'), post('space', 'position')];
const [tokenName, scope, expiresAt] = [post('token', 'name'), post('token', 'scope'), post('token', 'expires_at')];

/** A win in a space that is there, but for one field. */
async function win(fields: object): Promise<Answer> {
  const space = await api.post<{ id: number }>('/api/v1/spaces', { space: VALID.space });
  return api.post('/api/v1/wins', { win: { ...VALID.win, space_id: space.body.id, ...fields } });
}

const raw = (text: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
  api.post('/api/v1/tags', undefined, { raw: text, headers: { 'content-type': type } });
const malformed = () =>
  exchange(app.url, `GET /healthz HTTP/1.1\r\nAuthorization: Bearer ${ann.token}\r\nConnection: close\r\n\r\n`);

const merge = (tag: object) => api.post('/api/v1/tags/1/merge', { tag });
const order = (space_ids: unknown) => api.put('/api/v1/spaces/order', { order: { space_ids } });

const change = (id: number, changes: object) => api.patch(`/api/v1/wins/${id}`, { win: changes });
const batch = (fields: object) => api.post('/api/v1/wins/batch', { batch: fields });

/** A win of the user's. */
async function recorded(fields: object = {}): Promise<Answer<{ id: number }>> {
  const { body } = await api.post<{ id: number }>('/api/v1/spaces', { space: VALID.space });
  return api.post('/api/v1/wins', { win: { body: 'x', space_id: body.id, ...fields } });
}

const withKey = (key: string) => api.post('/api/v1/tags', { tag: VALID.tag }, { headers: { 'idempotency-key': key } });

const createOnce = () => api.post('/api/v1/tokens', { token: VALID.token }, { headers: { 'idempotency-key': 'once' } });

/** Does something while another request holds the key `held`. */
async function whileHeld(request: () => Promise<Answer>): Promise<Answer> {
  const other = app.dataSource.createQueryRunner();
  await other.startTransaction();
  try {
    await other.query(`insert into idempotency_keys (user_id, key, fingerprint) values ($1, 'held', '')`, [ann.id]);
    return await request();
  } finally {
    await other.rollbackTransaction();
    await other.release();
  }
}

/** Past the API, the user of these tests has all that anybody may have. */
const sql = (text: string) => app.dataSource.query(text, [ann.id]);
const fillUp = {
  tags: () => sql('update users set tags_count = 10000 where id = $1'),
  spaces: () =>
    sql(`with pro as (update users set plan = 'pro' where id = $1 returning id)
      insert into spaces (user_id, name, position) select id, 'Space', n from pro, generate_series(1, 1000) n`),
  tokens: () =>
    sql(`insert into api_tokens (user_id, digest, name, scope)
      select $1, sha256(int8send(n)), 'Test', 'read' from generate_series(2, 100) n`),
};

/** How each error comes about, by the name of the component and of its example. */
const REFUSED: Record<string, () => Promise<Answer>> = {
  'MalformedRequest ': malformed,
  'MalformedBody invalid_json': () => raw('{'),
  'MalformedBody nested_too_deeply': () => raw('['.repeat(30)),
  'MalformedBody bad_request': malformed,
  'MalformedBody invalid_idempotency_key': () => withKey(''),
  'RequestInProgress ': () => whileHeld(() => withKey('held')),
  'AlreadyCreated request_in_progress': () => whileHeld(() => withKey('held')),
  'AlreadyCreated already_created': async () => {
    await createOnce();
    return createOnce();
  },
  'PreconditionFailed ': async () => {
    const tag = await api.post<{ id: number }>('/api/v1/tags', { tag: VALID.tag });
    return api.delete(`/api/v1/tags/${tag.body.id}`, { headers: { 'if-match': '"other"' } });
  },
  'Unauthenticated ': () => app.as().get('/api/v1/tags'),
  'PlanLimitReached ': async () => {
    for (const name of ['Work', 'Home', 'Learning']) await spaceName(name);
    return spaceName('Side project');
  },
  'InsufficientScope ': async () => {
    const token = await app.make.token(ann.id, { scope: 'read' });
    return app.as({ ...ann, token }).post('/api/v1/tags', { tag: VALID.tag });
  },
  'WinNotFound ': () => api.get('/api/v1/wins/9007199254740991'),
  'TagNotFound ': () => api.get('/api/v1/tags/9007199254740991'),
  'SpaceNotFound ': () => api.get('/api/v1/spaces/9007199254740991'),
  'TokenNotFound ': () => api.get('/api/v1/tokens/9007199254740991'),
  'BodyTooLarge body_too_large': () => tagName('x'.repeat(1024 * 1024)),
  'BodyTooLarge too_many_values': () => raw(`[${'[],'.repeat(10_000)}[]]`),
  'UnsupportedMediaType not_json': () => raw('name=Launch', 'application/x-www-form-urlencoded'),
  'UnsupportedMediaType not_utf8': () => raw('{}', 'application/json; charset=latin1'),
  'InvalidPage ': () => api.get('/api/v1/tags?page=two'),
  'InvalidTagQuery not_an_integer': () => api.get('/api/v1/tags?page=two'),
  'InvalidTagQuery not_a_choice': () => api.get('/api/v1/tags?sort=size'),
  'InvalidTagQuery too_long': () => api.get(`/api/v1/tags?q=${'x'.repeat(31)}`),
  'InvalidTagQuery invalid_cursor': () => api.get('/api/v1/tags?after=x'),
  'InvalidMerge required': () => merge({}),
  'InvalidMerge wrapper_missing': () => api.post('/api/v1/tags/1/merge', { into_id: 1 }),
  'InvalidMerge into_itself': () => merge({ into_id: 1 }),
  'InvalidMerge not_yours': async () => {
    const tag = await api.post<{ id: number }>('/api/v1/tags', { tag: VALID.tag });
    return api.post(`/api/v1/tags/${tag.body.id}/merge`, { tag: { into_id: 9_007_199_254_740_991 } });
  },
  'UsedRequired ': () => api.delete('/api/v1/tags'),
  'InvalidOrder required': () => order(undefined),
  'InvalidOrder invalid_type': () => order('first'),
  'InvalidOrder wrapper_missing': () => api.put('/api/v1/spaces/order', {}),
  'InvalidOrder missing': async () => {
    await spaceName('Work');
    return order([]);
  },
  'InvalidOrder not_found': () => order([9_007_199_254_740_991]),
  'InvalidOrder duplicate': async () => {
    const { body } = await api.post<{ id: number }>('/api/v1/spaces', { space: VALID.space });
    return order([body.id, body.id]);
  },
  'InvalidMove not_an_integer': () => api.delete('/api/v1/spaces/1?move_wins_to=Home'),
  'InvalidMove to_itself': () => api.delete('/api/v1/spaces/1?move_wins_to=1'),
  'InvalidMove not_found': async () => {
    const { body } = await api.post<{ id: number }>('/api/v1/spaces', { space: VALID.space });
    return api.delete(`/api/v1/spaces/${body.id}?move_wins_to=9007199254740991`);
  },
  'InvalidFilter not_an_integer': () => api.get('/api/v1/wins?page=two'),
  'InvalidFilter not_a_date': () => api.get('/api/v1/wins?since=2026-02-30'),
  'InvalidFilter not_a_choice': () => api.get('/api/v1/wins?sort=color'),
  'InvalidFilter invalid_cursor': () => api.get('/api/v1/wins?after=x'),
  'InvalidChangesQuery not_an_integer': () => api.get('/api/v1/changes?limit=all'),
  'InvalidChangesQuery invalid_cursor': () => api.get('/api/v1/changes?since=x'),
  'CursorExpired ': async () => {
    const { body } = await api.get<{ next: string }>('/api/v1/changes');
    await sql('update users set revision = revision + 1, forgotten_revision = revision + 1 where id = $1');
    return api.get(`/api/v1/changes?since=${body.next}`);
  },
  'InvalidSummary required': () => api.get('/api/v1/wins/summary'),
  'InvalidSummary not_a_choice': () => api.get('/api/v1/wins/summary?by=color'),
  'InvalidExport required': () => api.get('/api/v1/wins/export'),
  'InvalidExport not_a_choice': () => api.get('/api/v1/wins/export?format=color'),
  'InvalidFilter too_many': () => api.get(`/api/v1/wins?q=${'word+'.repeat(11)}`),
  'InvalidFilter too_long': () => api.get(`/api/v1/wins?q=${'x'.repeat(201)}`),
  'InvalidFilter invalid_characters': () => api.get('/api/v1/wins?tag=a%00b'),
  'InvalidTag blank': () => tagName(' '),
  'InvalidTag too_long': () => tagName('x'.repeat(31)),
  'InvalidTag taken': async () => {
    await tagName('Launch');
    return tagName('launch');
  },
  'InvalidTag required': () => tagName(undefined),
  'InvalidTag wrapper_missing': () => api.post('/api/v1/tags', { name: 'Launch' }),
  'InvalidTag invalid_type': () => tagName(1),
  'InvalidTag invalid_characters': () => tagName('a\u0000b'),
  'InvalidTag limit_reached': async () => {
    await fillUp.tags();
    return tagName('Launch');
  },
  'InvalidSpace limit_reached': async () => {
    await fillUp.spaces();
    return spaceName('Work');
  },
  'InvalidWin limit_reached': async () => {
    await fillUp.tags();
    return win({ tag_names: ['Launch'] });
  },
  'InvalidChanges limit_reached': async () => {
    const { body } = await recorded();
    await fillUp.tags();
    return change(body.id, { tag_names: ['Launch'] });
  },
  'InvalidChanges blank': () => change(1, { body: '\n' }),
  'InvalidChanges space_not_found': async () => change((await recorded()).body.id, { space_id: 9_007_199_254_740_991 }),
  'InvalidChanges not_a_date': () => change(1, { occurred_on: '2026-02-30' }),
  'InvalidChanges too_long': () => change(1, { tag_names: ['x'.repeat(31)] }),
  'InvalidChanges conflict': () => change(1, { tag_names: [], add_tag_names: ['Launch'] }),
  'InvalidChanges wrapper_missing': () => api.patch('/api/v1/wins/1', {}),
  'InvalidChanges read_only': () => change(1, { tags: ['Launch'] }),
  'InvalidChanges too_many': async () => {
    const tag_names = Array.from({ length: 50 }, (_, n) => `Tag ${n}`);
    return change((await recorded({ tag_names })).body.id, { add_tag_names: ['Launch'] });
  },
  'InvalidBatch too_many': () => batch({ create: Array.from({ length: 101 }, () => ({ body: 'x', space_id: 1 })) }),
  'InvalidBatch not_a_date': async () => {
    const valid = { body: 'x', space_id: 1 };
    return batch({ create: [valid, { ...valid, occurred_on: '2026-02-30' }] });
  },
  'InvalidBatch required': () => batch({ update: [{ body: 'x' }] }),
  'InvalidBatch wrapper_missing': () => api.post('/api/v1/wins/batch', {}),
  'InvalidBatch space_not_found': () => batch({ create: [{ body: 'x', space_id: 9_007_199_254_740_991 }] }),
  'InvalidBatch not_found': () => batch({ delete: [9_007_199_254_740_991] }),
  'InvalidBatch too_many_tags': async () => {
    const tag_names = Array.from({ length: 50 }, (_, n) => `Tag ${n}`);
    return batch({ update: [{ id: (await recorded({ tag_names })).body.id, add_tag_names: ['Launch'] }] });
  },
  'InvalidBatch limit_reached': async () => {
    const { body } = await api.post<{ id: number }>('/api/v1/spaces', { space: VALID.space });
    await fillUp.tags();
    return batch({ create: [{ body: 'x', space_id: body.id, tag_names: ['Launch'] }] });
  },
  'InvalidToken limit_reached': async () => {
    await fillUp.tokens();
    return tokenName('Laptop');
  },
  'InvalidSpace blank': () => spaceName(' '),
  'InvalidSpace too_long': () => spaceName('x'.repeat(101)),
  'InvalidSpace not_an_emoji': () => emoji('rocket'),
  'InvalidSpace out_of_range': () => position(2 ** 31),
  'InvalidSpace wrapper_missing': () => api.post('/api/v1/spaces', { name: 'Work' }),
  'InvalidSpace several': () => api.post('/api/v1/spaces', { space: { name: 'a\u0000b', position: '1' } }),
  'InvalidWin blank': () => win({ body: '\n' }),
  'InvalidWin space_not_found': () => win({ space_id: 9_007_199_254_740_991 }),
  'InvalidWin not_a_date': () => win({ occurred_on: '2026-02-30' }),
  'InvalidWin too_many': () => win({ tag_names: Array.from({ length: 51 }, (_, n) => `Tag ${n}`) }),
  'InvalidWin too_long': () => win({ tag_names: ['x'.repeat(31)] }),
  'InvalidWin wrapper_missing': () => api.post('/api/v1/wins', VALID.win),
  'InvalidWin read_only': () => api.post('/api/v1/wins', { win: { body: 'x', space: { id: 3 } } }),
  'InvalidWin several': () => win({ body: 1, space_id: '1' }),
  'InvalidToken blank': () => tokenName(' '),
  'InvalidToken not_a_choice': () => scope('admin'),
  'InvalidToken not_a_time': () => expiresAt('tomorrow'),
  'InvalidToken in_the_past': () => expiresAt('2020-01-31T12:00:00Z'),
  'InvalidToken outlives_parent': async () => {
    const token = await app.make.token(ann.id, { expiresAt: new Date('2030-01-31T12:00:00Z') });
    return app.as({ ...ann, token }).post('/api/v1/tokens', { token: { name: 'Laptop', expires_at: null } });
  },
  'InvalidToken wrapper_missing': () => api.post('/api/v1/tokens', VALID.token),
};

describe('the example of an error', () => {
  const examples = Object.entries(document.components.responses)
    .filter(([name]) => !NOT_TO_BE_ASKED_FOR.includes(name))
    .flatMap(([name, { content = {} }]) =>
      examplesOf(content['application/json']!).map(([key, value]): [string, unknown] => [`${name} ${key}`, value]),
    );

  it('can be brought about, or is the fault of nobody who asks', () => {
    expect(Object.keys(REFUSED).toSorted()).toEqual(examples.map(([name]) => name).toSorted());
  });

  it.each(examples)('is what the service answers: %s', async (name, example) => {
    const answer = await REFUSED[name]!();
    expect(answer.body).toEqual({ ...(like(example) as object), request_id: answer.headers.get('x-request-id') });
  });
});

/** What the example has, except that the service gives ids and times of its own. */
function like(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(like);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => [
    name,
    /^(id|ids|created_at|updated_at|token)$/.test(name) ? expect.anything() : like(field),
  ]);
  return Object.fromEntries(fields);
}

/** Operations on several resources at once; their own tests send such bodies. */
const OF_MANY = ['mergeTag', 'orderSpaces', 'batchWins'];

describe('the example of a body', () => {
  const sent = operations
    .filter(({ operationId }) => !OF_MANY.includes(operationId))
    .flatMap(({ requestBody, ...operation }) =>
      examplesOf(requestBody?.content['application/json'] ?? { schema: {} }).map(([name, body], index) => ({
        ...operation,
        name,
        body: JSON.stringify(body),
        isFirst: index === 0,
      })),
    );

  it.each(sent)('can be sent: $operationId $name', async ({ method, path, responses, body, isFirst }) => {
    const space = await api.post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work', emoji: '💼' } });
    const create = (to: string, json: string) =>
      api.post<{ id: number }>(to, undefined, {
        raw: json.replaceAll(/"space_id":\d+/g, `"space_id":${space.body.id}`),
      });
    let target = path;
    if (path.endsWith('/{id}')) {
      const list = path.slice(0, -'/{id}'.length);
      const made = await create(list, sent.find((other) => other.path === list && other.isFirst)!.body);
      target = `${list}/${made.body.id}`;
    }
    const answer = await api.request(method, target, {
      raw: body.replaceAll(/"space_id":\d+/g, `"space_id":${space.body.id}`),
    });
    const status = method === 'POST' ? 201 : 200;
    expect(answer.status).toBe(status);
    if (isFirst) expect(answer.body).toEqual(like(responses[status]!.content!['application/json']!.example));
  });
});
