import * as fc from 'fast-check';
import { render, request, type Request } from './requests.js';

/** Bytes on a connection that are not one well-formed request. */
export interface Wire {
  requests: readonly Request[];
  oddities: { method?: string; target?: string; version?: string; lines: readonly string[] };
  edits: readonly Edit[];
  /** Latin-1, behind the requests. */
  garbage: string;
  /** How much of it all is sent. */
  part: number;
  /** The client does not wait for an answer. */
  isAborted: boolean;
}

interface Edit {
  kind: 'replace' | 'insert' | 'delete';
  /** Where, as a part of the length. */
  at: number;
  bytes: string;
}

const METHODS = ['', 'get', 'FOO', 'CONNECT', 'PRI', 'G\0T', 'GET\t', 'X'.repeat(300), '\xff', 'HEAD'];
const TARGETS = [
  '',
  ' ',
  '/ /',
  '/api/v1/tags\xe9',
  '/\xff',
  '/\0',
  'localhost:80',
  '*',
  '?',
  '#',
  '\\',
  'http://',
  '/\x7f',
];
const VERSIONS = [
  '',
  ' HTTP/1.0',
  ' HTTP/0.9',
  ' HTTP/2.0',
  ' HTTP/9.9',
  ' http/1.1',
  ' HTTP/1.1 x',
  '  HTTP/1.1',
  ' ICE/1.0',
];
const LINES = [
  'Content-Length: 5',
  'Content-Length: 0',
  'Content-Length: -1',
  'Content-Length: +5',
  'Content-Length: 0x10',
  'Content-Length: 5, 5',
  'Content-Length: ',
  'Content-Length: 1e3',
  'Content-Length: 99999999999999999999999',
  'Content-Length: 4611686018427387904',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding:\x0bchunked',
  'Transfer-Encoding : chunked',
  'Connection: keep-alive',
  'Connection: upgrade\r\nUpgrade: websocket',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  'Expect: 100-continue',
  'Host: other',
  'Host:',
  'Authorization: Bearer ~pro~',
  'X: a\r\n folded',
  ' folded',
  'X : y',
  'X\0: y',
  'X: \0',
  'X: \r y',
  'X: a\nY: b',
  ': empty',
  'no colon',
  '\xff: y',
  '__proto__: x',
  `X: ${'x'.repeat(20_000)}`,
  `${'x'.repeat(20_000)}: x`,
  Array.from({ length: 1500 }, (_, n) => `X${n}: x`).join('\r\n'),
  Array.from({ length: 2100 }, () => 'a:').join('\r\n'),
  'Trailer: X',
];
const PIECES = [
  '\0',
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  ' ',
  ':',
  '\t',
  '\xff',
  '\x7f',
  '/',
  '%',
  '"',
  '0\r\n\r\n',
  '5\r\n',
  'fffffffff\r\n',
  '-1\r\n',
];

const bytes = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength }),
    fc.constantFrom(...PIECES),
  );

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('replace', 'insert', 'delete'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  bytes: bytes(8),
});

const oddities = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ lines: [] }) },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        method: fc.constantFrom(...METHODS),
        target: fc.constantFrom(...TARGETS),
        version: fc.constantFrom(...VERSIONS),
        lines: fc.array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: ['lines'] },
    ),
  },
);

const common = {
  requests: fc.array(request, { minLength: 1, maxLength: 2 }),
  oddities: fc.constant({ lines: [] }),
  edits: fc.constant([]),
  garbage: fc.constant(''),
  part: fc.constant(1),
  isAborted: fc.constant(false),
};

const half = fc.double({ min: 0, max: 1, noNaN: true });

/** Bytes after which nothing is sure but that the service stands it. */
export const wire: fc.Arbitrary<Wire> = fc.oneof(
  fc.record({ ...common, oddities }),
  fc.record({ ...common, edits: fc.array(edit, { minLength: 1, maxLength: 4 }) }),
  fc.record({ ...common, garbage: bytes(60) }),
  fc.record({ ...common, part: half }),
  fc.record({ ...common, part: half, isAborted: fc.constant(true) }),
  fc.record({ ...common, requests: fc.constant([]), garbage: bytes(200) }),
);

/** The bytes of it, with the tildes of its requests resolved. */
export function renderWire({ requests, oddities: odd, edits, garbage, part }: Wire): Buffer {
  const rendered = requests.map((sent) =>
    render(
      { ...sent, method: odd.method ?? sent.method, target: odd.target ?? sent.target },
      { connection: 'keep-alive', version: odd.version, lines: odd.lines },
    ),
  );
  const whole = Buffer.concat([...edits.reduce(edited, rendered), Buffer.from(garbage, 'latin1')]);
  return whole.subarray(0, Math.ceil(part * whole.length));
}

/** Heads are where bytes matter most, so it is the first of the parts that is edited, and its beginning. */
function edited([first = Buffer.alloc(0), ...others]: Buffer[], { kind, at, bytes: text }: Edit): Buffer[] {
  const place = Math.floor(at * Math.min(first.length, 600));
  const piece = Buffer.from(kind === 'delete' ? '' : text, 'latin1');
  const after = first.subarray(place + (kind === 'insert' ? 0 : text.length));
  return [Buffer.concat([first.subarray(0, place), piece, after]), ...others];
}

/** Several whole requests at once on a connection that the last one closes. */
export const pipeline = fc.array(request, { minLength: 2, maxLength: 5 });

export const renderPipeline = (requests: readonly Request[]): Buffer =>
  Buffer.concat(
    requests.map((sent, place) => render(sent, { connection: place === requests.length - 1 ? 'close' : 'keep-alive' })),
  );
