import { METHODS } from 'node:http';
import * as fc from 'fast-check';
import { document, type Operation } from '../../harness/document.js';
import { fromSchema, hostile, hostileText, reference } from './values.js';

/** Who sends a request. All but strangers send a token that is good. */
export const ACTORS = ['pro', 'free', 'expiring', 'reader'] as const;
export type Actor = (typeof ACTORS)[number] | 'stranger';

/** A request as it is generated; tildes in its texts are resolved when it is sent. */
export interface Request {
  actor: Actor;
  /** The lines of this name, each with the token of an actor between tildes. */
  authorization: readonly string[];
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body?: string;
  /** What is done to the bytes of the body. */
  damage: Damage;
  isChunked: boolean;
}

interface Damage {
  kind: 'none' | 'bom' | 'utf16' | 'cut' | 'insert';
  /** Where, as a part of the length. */
  at: number;
  bytes: string;
}

const NO_DAMAGE: Damage = { kind: 'none', at: 0, bytes: '' };

/** Bytes that UTF-8 or JSON has no place for, as Latin-1. */
const STRAY_BYTES = [
  '\0',
  '\x80',
  '\xff',
  '\xc0\xaf',
  '\xed\xa0\x80',
  '\xe2\x82',
  '\xf5\x80\x80\x80',
  '"',
  '}',
  '\\',
  ',',
];

/** Operations of the document, with their methods and paths. */
const OPERATIONS = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

const sender: fc.Arbitrary<Pick<Request, 'actor' | 'authorization'>> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.constantFrom<Actor>('pro', 'free', 'pro', 'expiring', 'reader'),
        fc.constantFrom('Bearer', 'bearer', 'BEARER'),
      )
      .map(([actor, scheme]) => ({ actor, authorization: [`${scheme} ~${actor}~`] })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        [],
        [''],
        ['Bearer'],
        ['Bearer '],
        ['Bearer null'],
        ['Bearer undefined'],
        ['Bearer ~revoked~'],
        ['Bearer ~expired~'],
        ['Bearer ~pro~0'],
        ['Bearer ~pro~ ~pro~'],
        ['Bearer "~pro~"'],
        ['Bearer wins_'],
        [`Bearer wins_${'0'.repeat(64)}`],
        ['Bearer ~many.5000.x~'],
        ['Bearer \xe9\xff'],
        ['Basic ~pro~'],
        ['Basic dXNlcjpwYXNz'],
        ['Token ~pro~'],
        ['Bearer,~pro~'],
        ['Bearer=~pro~'],
        ['~pro~'],
        ['Digest x', 'Bearer ~pro~'],
      )
      .map((authorization) => ({ actor: 'stranger' as const, authorization })),
  },
);

/** Spellings of an id that is none, as they come over the wire. */
const ODD_IDS = [
  '0', '-1', '01', '+1', '1.0', '1e0', '0x1', '1n', '%201', '1%20', '1%00', '%00', '%0A', '1%2F', '%2e%2e', 'null',
  'undefined', 'NaN', '*', '%', '%zz', '%E0%A4%A', '%ff', '%ED%A0%80', '%F0%9F%98%80', '%D9%A1', '2147483648',
  '9007199254740991', '9007199254740993', '9223372036854775808', '99999999999999999999', '9'.repeat(400), '__proto__',
  'constructor', '1;x=1', '1,2', "1'", '1/wins', '..', '~', ':id', '{id}',
]; // prettier-ignore

/** Any text as a part of a URL; what can't be encoded is left as bytes that are no UTF-8. */
const encoded = (text: string) =>
  text.isWellFormed() ? encodeURIComponent(text).replaceAll('~', '%7E') : '%ED%A0%80%ff';

const segment = fc.oneof(
  fc.constantFrom(
    'api',
    'v1',
    'tags',
    'wins',
    'me',
    'API',
    'v2',
    '',
    '.',
    '..',
    '%2e%2e',
    'docs',
    '*',
    '%zz',
    '%00',
    ';',
  ),
  hostileText.map((text) => encoded(text).slice(0, 200)),
);

/** Paths that mostly lead nowhere. */
const oddPath = fc.oneof(
  fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`),
  fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => `/api/v1/${segments.join('/')}`),
  fc.constantFrom(
    '*',
    '//api/v1/tags',
    '/api/v1/tags/',
    '/api/v1/tags//',
    '/api//v1/tags',
    '/api/v1/t%61gs',
    '/%61pi/v1/tags',
    '/api%2Fv1%2Ftags',
    '/api/v1/tags/../wins',
    '/api/v1/tags#x',
    '/api/v1/tags;x',
    'http://elsewhere.example/api/v1/tags',
    'https://elsewhere.example',
    'http:///api/v1/tags',
    '/~many.20000.x~',
    '/api/v1/tags/~many.20000.1~',
    '/api/v1/tags?page=~many.20000.1~',
    '/api/v1/~many.2000.a/~',
  ),
);

function pathOf(template: string): fc.Arbitrary<string> {
  if (!template.includes('{id}')) return fc.constantFrom(template, template, template, template, `${template}/`);
  const resource = template.split('/').at(-2)!;
  return fc
    .oneof(
      { weight: 7, arbitrary: reference(resource) },
      { weight: 2, arbitrary: fc.constantFrom(...ODD_IDS) },
      { weight: 1, arbitrary: fc.maxSafeNat().map(String) },
    )
    .map((id) => template.replace('{id}', id));
}

const ODD_QUERIES = [
  '', '&&', '=', '%', '%zz=%', 'page', 'page[]=1', 'page[a]=1', 'page=1&page=2', 'per_page=5&per_page=10', 'tag=a&tag=b',
  'q=%00', 'q=%ff', 'tag=%ED%A0%80', 'space_id=1.5', '__proto__=1', '__proto__[page]=x', 'constructor[prototype]=x',
  'access_token=~pro~', 'toString=1', 'length=5', 'q=%25', 'q=_', 'q=%5C', 'q=a+b', '+', '?', 'page=%2B1', 'since=&until=',
]; // prettier-ignore

function queryOf({ parameters }: Operation): fc.Arbitrary<string> {
  const known = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) =>
      fc.tuple(
        fc.constant(name),
        fc.oneof(
          { weight: 5, arbitrary: fromSchema(schema.items ?? schema, name) },
          { weight: 1, arbitrary: hostileText },
        ),
      ),
    );
  const pair = fc.oneof(...known, fc.tuple(hostileText, hostileText)).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${encoded(name)}=${/^~own|^~other/.test(text) ? text : encoded(text)}`;
  });
  const part = fc.oneof({ weight: 5, arbitrary: pair }, { weight: 1, arbitrary: fc.constantFrom(...ODD_QUERIES) });
  return fc
    .array(part, { maxLength: known.length === 0 ? 1 : 3 })
    .map((parts) => (parts.length === 0 ? '' : `?${parts.join('&').slice(0, 8000)}`));
}

/** What may stand in a header, control characters aside. */
const headerText = fc.oneof(
  fc.constantFrom('', ' ', ',', '*', '*/*', '0', '-1', 'null', '"', '\xff\xfe', 'a\tb', 'x'.repeat(3000)),
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 30,
  }),
);

const HEADERS: Record<string, string[]> = {
  Accept: ['text/html', 'application/xml', 'application/json;q=0', 'image/*'],
  'Accept-Encoding': ['gzip', 'identity;q=0, *;q=0'],
  'Accept-Charset': ['utf-16'],
  'X-Request-Id': ['a', 'Root=1-67891233-abcdef', 'a b', '<script>', '{}', 'x'.repeat(128), 'x'.repeat(129)],
  Expect: ['100-continue', '200-ok', 'the unexpected'],
  'Content-Encoding': ['gzip', 'identity', 'br', 'x'],
  Origin: ['https://app.example', 'null'],
  'Access-Control-Request-Method': ['POST'],
  'X-Forwarded-For': ['127.0.0.1', '::1, unknown', "'"],
  'X-Forwarded-Host': ['evil.example'],
  'X-Forwarded-Proto': ['https'],
  Forwarded: ['for=127.0.0.1;host=evil.example'],
  'X-HTTP-Method-Override': ['DELETE', 'PUT'],
  'If-None-Match': ['*', 'W/"x"'],
  'If-Match': ['"x"'],
  'If-Modified-Since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'x'],
  Range: ['bytes=0-1', 'bytes=9-1'],
  Cookie: ['a=b', '__proto__=x; =; ;'],
  Upgrade: ['websocket', 'h2c'],
  TE: ['trailers'],
  Via: ['1.1 x'],
  Referer: ['http://evil.example/'],
  'User-Agent': ['() { :; }; echo x', '${jndi:ldap://x}'],
  'Accept-Version': ['1.2.3', 'x'],
  __proto__x: ['x'],
  constructor: ['x'],
};

const header = fc
  .constantFrom(...Object.keys(HEADERS))
  .chain((name) => fc.tuple(fc.constant(name), fc.oneof(fc.constantFrom(...HEADERS[name]!), headerText)));

const JSON_TYPES = [
  'application/json',
  'application/json',
  'APPLICATION/JSON;charset=UTF-8',
  'application/json; charset=utf-8',
];
const OTHER_TYPES = [
  'text/plain',
  'text/html',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'application/json;charset',
  'application/json,text/plain',
  'application/vnd.api+json',
  'application/jsonx',
  ' application/json',
  'application/',
  '/',
  'foo',
  '__proto__',
  'constructor',
];

const contentType = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(...JSON_TYPES).map((type) => [type]) },
  { weight: 1, arbitrary: fc.constantFrom(...OTHER_TYPES, '').map((type) => [type]) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      headerText.map((type) => [type]),
      fc.constantFrom([], ['application/json', 'text/plain']),
    ),
  },
);

/** Makes of JSON what JSON.stringify never would. */
const SPOILERS: ((json: string) => string)[] = [
  (json) => json.replace('{', '{"tag":{"name":"twice"},"space":1,"win":null,'),
  (json) => json.replaceAll('"name":', '"name":"first","name":'),
  (json) => json.replace('{', '{"__proto__":{"admin":true},'),
  (json) => json.replaceAll(':{', ':{"__proto__":{"name":"x"},"constructor":{"prototype":{}},'),
  (json) => `\t\r\n ${json} \n`,
  (json) => `${json},`,
  (json) => `${json}${json}`,
  (json) => json.replaceAll('"', "'"),
  (json) => json.slice(0, -1),
  (json) => `${json}\u2028`,
  (json) => `{"padding":"~many.1048576.x~",${json.slice(1)}`,
  () => '~many.100000.[~',
  () => '~many.100000.{"a":~',
  () => '',
];

function bodyOf({ requestBody }: Operation): fc.Arbitrary<string | undefined> {
  const schema = requestBody?.content['application/json']?.schema;
  if (schema === undefined) {
    return fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: hostile.map((value) => JSON.stringify(value)) },
    );
  }
  const json = fromSchema(schema).map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 40, arbitrary: json },
    { weight: 4, arbitrary: fc.tuple(json, fc.constantFrom(...SPOILERS)).map(([text, spoil]) => spoil(text)) },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: hostileText },
  );
}

const damage: fc.Arbitrary<Damage> = fc.oneof(
  { weight: 12, arbitrary: fc.constant(NO_DAMAGE) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('bom', 'utf16', 'cut', 'insert'),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      bytes: fc.constantFrom(...STRAY_BYTES),
    }),
  },
);

/** The rest of a request, whatever it asks for. */
const rest = (body: fc.Arbitrary<string | undefined>) =>
  fc
    .tuple(
      sender,
      body,
      contentType,
      fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(header, { maxLength: 4 }) }),
      damage,
      fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    )
    .map(([from, text, types, others, harm, isChunked]) => ({
      ...from,
      headers: [
        ...(text === undefined ? [] : types.map((type): [string, string] => ['Content-Type', type])),
        ...others,
      ],
      ...(text !== undefined && { body: text }),
      damage: text === undefined ? NO_DAMAGE : harm,
      isChunked,
    }));

/** Requests for the operations of the document. */
const documented: fc.Arbitrary<Request> = fc
  .constantFrom(
    ...OPERATIONS.filter(({ operation }) => operation.security?.length !== 0 || operation.parameters.length > 0),
  )
  .chain(({ method, path, operation }) =>
    fc
      .tuple(
        method === 'GET' ? fc.constantFrom('GET', 'GET', 'GET', 'HEAD') : fc.constant(method),
        pathOf(path),
        queryOf(operation),
        rest(bodyOf(operation)),
      )
      .map(([verb, where, query, others]) => ({ method: verb, target: where + query, ...others })),
  );

/** CONNECT names no path and is left to the raw bytes. */
const METHODS_WITH_PATH = METHODS.filter((method) => method !== 'CONNECT');

/** Requests that are mostly for nothing there is. */
const undocumented: fc.Arbitrary<Request> = fc
  .tuple(
    fc.oneof(fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'HEAD'), fc.constantFrom(...METHODS_WITH_PATH)),
    fc.oneof(
      oddPath,
      fc.constantFrom(...OPERATIONS).chain(({ path }) => pathOf(path)),
    ),
    rest(
      fc.oneof(
        fc.constant(undefined),
        hostile.map((value) => JSON.stringify(value)),
      ),
    ),
  )
  .map(([method, target, others]) => ({ method, target, ...others }));

export const request: fc.Arbitrary<Request> = fc.oneof(
  { weight: 9, arbitrary: documented },
  { weight: 1, arbitrary: undocumented },
);

/** What `render()` may do otherwise: to the request line, and lines added to the head. */
interface Oddities {
  connection?: string;
  version?: string;
  lines?: readonly string[];
}

/** The bytes of a request whose tildes are resolved. */
export function render(sent: Request, { connection = 'close', version = ' HTTP/1.1', lines = [] }: Oddities = {}) {
  const body = sent.body === undefined ? undefined : damaged(Buffer.from(sent.body), sent.damage);
  const head = [
    `${sent.method} ${sent.target}${version}`,
    'Host: localhost',
    `Connection: ${connection}`,
    ...sent.authorization.map((value) => `Authorization: ${value}`),
    ...sent.headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [sent.isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`]),
    ...lines,
  ];
  return Buffer.concat([
    Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    ...(body === undefined ? [] : [sent.isChunked ? chunked(body) : body]),
  ]);
}

function damaged(body: Buffer, { kind, at, bytes }: Damage): Buffer {
  const place = Math.floor(at * body.length);
  switch (kind) {
    case 'bom':
      return Buffer.concat([Buffer.from('\ufeff'), body]);
    case 'utf16':
      return Buffer.from(body.toString(), 'utf16le');
    case 'cut':
      return body.subarray(0, place);
    case 'insert':
      return Buffer.concat([body.subarray(0, place), Buffer.from(bytes, 'latin1'), body.subarray(place)]);
    default:
      return body;
  }
}

/** In two chunks, or none for an empty body. */
function chunked(body: Buffer): Buffer {
  const half = Math.ceil(body.length / 2);
  const chunks = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0);
  return Buffer.concat([
    ...chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ]);
}
