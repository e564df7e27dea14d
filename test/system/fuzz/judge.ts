import type { Answer } from '../../harness/client.js';
import { expectDocumented, findOperation } from '../../harness/document.js';
import type { Request } from './requests.js';

/** What no text of ours says: how the service is built. A client sees it only where something went wrong. */
const INTERNALS = [
  /\b(select|insert into|update \w+ set|delete from|where \w+ =|syntax error|constraint|relation|column|violates|sqlstate)\b/i,
  /\b(duplicate key|null value|at position|unexpected (token|end)|stack|undefined|NaN|TypeError|RangeError|SyntaxError)\b/i,
  /\b(pg_|uq_|ck_|fk_|pk_|idx_|trg_|FST_|HPE_)\w+|\b(postgres\w*|typeorm|fastify|nestjs|node_modules|llhttp|class-validator)\b/i,
  /\bE(CONN|PIPE|RR_|NOENT|ACCES|TIMEDOUT)\w*|\bat \S+ \(|\/(src|dist|tmp|work|home|root|usr)\/|\.[jt]s\b|\[object /,
];

/** Beyond these bytes a request's head is refused; Node counts a little otherwise than this does. */
const HEAD_LIMIT = 16 * 1024;
const HEAD_SLACK = 1024;

/** What comes before the routes, and so is in no list of an operation. */
const BEFORE_ROUTES = [400, 408, 431];

const refused = (request: string, why: string, { status, text }: Answer) =>
  new Error(`${why}\n  asked: ${request.slice(0, 500)}\n  answered: ${status} ${text.slice(0, 500)}`);

/** Fails unless an answer is one that may be given to anyone, whatever was asked. */
export function judgeAnyAnswer(asked: string, answer: Answer): void {
  const { status, headers, body, text } = answer;
  const fail = (why: string) => {
    throw refused(asked, why, answer);
  };
  if (status >= 500) fail('A fault of the service');
  if (!/^[\w.:/+=~-]{1,128}$/.test(headers.get('x-request-id') ?? '')) fail('No id of the request');
  if (headers.get('cache-control') !== 'private, no-cache') fail('A cache may keep this');
  if (headers.get('vary') !== 'Authorization, Origin') fail('Vary is wrong');
  for (const name of ['x-powered-by', 'server', 'set-cookie']) if (headers.has(name)) fail(`There is a header ${name}`);
  if (status === 401 && !headers.get('www-authenticate')?.startsWith('Bearer')) fail('No challenge');
  if (status < 400) return;
  if (headers.get('content-type') !== 'application/json; charset=utf-8') fail('An error is JSON');
  if (text === '') return; // to a HEAD
  const { request_id, error, ...rest } = body as { request_id: string; error: string };
  if (request_id !== headers.get('x-request-id')) fail('Two ids of one request');
  if (!/^[A-Z][ -~]{5,200}$/.test(error)) fail('No plain sentence');
  if (INTERNALS.some((pattern) => pattern.test(JSON.stringify({ error, ...rest }))))
    fail('This tells how the service is built');
  expectDocumented('GET', '/none', status === 422 || status === 402 ? { ...answer, body: undefined } : answer);
}

/**
 * Fails unless it is what the document, and what the sender may do, allow as an answer to the request.
 *
 * @param isForeign whether it asks for a row of another user
 */
export function judge(request: Request, answer: Answer, isForeign: boolean): void {
  const { actor, method } = request;
  const asked = `${actor} ${JSON.stringify(request.authorization)} ${method} ${request.target}\n    ${JSON.stringify(request.headers)} ${request.damage.kind}\n    ${request.body ?? ''}`;
  const fail = (why: string) => {
    throw refused(asked, why, answer);
  };
  const { status } = answer;
  judgeAnyAnswer(asked, answer);
  const size = sizeOfHead(request);
  if (size > HEAD_LIMIT + HEAD_SLACK && status !== 431) fail('The head is too large');
  if (status === 431 && size > HEAD_LIMIT - HEAD_SLACK) return;
  if (method === 'HEAD' && answer.text !== '') fail('The answer to a HEAD has no body');

  const path = routedPath(request.target);
  const operation = findOperation(method, path);
  const isReading = method === 'GET' || method === 'HEAD';
  const isGuarded =
    operation === undefined
      ? request.target.startsWith('/api/') || /^https?:\/\/[^/?]*\/api\//i.test(request.target)
      : operation.security?.length !== 0;
  if (isGuarded && actor === 'stranger') {
    if (status !== 401) fail('A stranger has no business here');
  } else if (isGuarded && actor === 'reader' && !isReading) {
    if (status !== 403) fail('This token only reads');
  } else if (status === 401 || status === 403) fail('This sender may come in');
  else if (operation === undefined) {
    if (status !== 404 && !(isReading && /^\/($|docs|openapi\.json)/.test(path))) fail('There is no such route');
  } else {
    if (BEFORE_ROUTES.includes(status) && isReading) fail('This is a request');
    expectDocumentedHere(method, path, answer, asked);
    if (namesIn(answer.body).some(isOddName)) fail('A name is not as names are stored');
    if (isForeign && status < 300) fail('A row of somebody else');
    const takesId = operation.parameters.some((parameter) => parameter.in === 'path');
    if (takesId && /^\/api\/v1\/\w+\/(?![1-9]\d*\/?($|[a-z]+\/?$))./.test(path) && status < 300)
      fail('That is not how an id is spelled');
  }
}

/** Every name in an answer, of whatever it is the name. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === 'name' && typeof item === 'string' ? [item] : namesIn(item),
  );
}

const isOddName = (name: string) =>
  /^$|^\p{White_Space}|\p{White_Space}$|\p{Cc}|\p{Cs}/u.test(name) || name !== name.normalize('NFC');

function expectDocumentedHere(method: string, path: string, answer: Answer, asked: string): void {
  try {
    expectDocumented(method, path, answer);
  } catch (error) {
    throw refused(asked, error instanceof Error ? error.message : String(error), answer);
  }
}

/** The path as the router sees it: without origin, query and escapes. */
export function routedPath(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?]*\/?/i, '/').split(/[?#]/, 1)[0]!;
  try {
    return path
      .split('/')
      .map((segment) => decodeURIComponent(segment).replaceAll('/', '%2F'))
      .join('/');
  } catch {
    return path.replaceAll('%', '_');
  }
}

const sizeOfHead = ({ method, target, authorization, headers }: Request): number =>
  [method, target, ...authorization, ...headers.flat()].join('  ').length + 100;
