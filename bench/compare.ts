import type { Person } from './seed.js';
import type { Scenario, Step } from './scenarios.js';

/** Headers that depend on the moment or the connection, the request's id, which is checked by itself, and what only ours has. */
const LEFT_OUT = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'x-request-id', 'etag']);

const REQUEST_ID = 'bench-compare';

/** What a contender answered, as far as it must be the same for all. */
interface Answer {
  request: string;
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Sends a scenario's requests once. Ids and times of what they made are replaced by a word. */
export async function answersOf(url: string, person: Person, scenario: Scenario): Promise<Answer[]> {
  const answers: Answer[] = [];
  let id = '';
  for (const step of scenario.steps(person, 0)) {
    const path = step.path.replace('{id}', id);
    const response = await send(url, person.token, { ...step, path });
    const text = await response.text();
    if (!response.ok) throw new Error(`${step.method} ${url}${path} was answered ${response.status}: ${text}`);
    if (response.headers.get('x-request-id') !== REQUEST_ID) throw new Error(`${url} does not keep X-Request-Id`);
    const isNew = step.method === 'POST';
    if (isNew) id = String(JSON.parse(text).id);
    const headers = [...response.headers].filter(([name]) => !LEFT_OUT.has(name));
    answers.push({
      request: `${step.method} ${step.path}`,
      status: response.status,
      headers: Object.fromEntries(headers.map(([name, value]) => [name, isNew ? value.replace(id, 'ID') : value])),
      text: isNew
        ? text.replace(`{"id":${id},`, '{"id":ID,').replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, 'TIME')
        : step.method === 'GET'
          ? text
          : text.replace(/"updated_at":"[^"]*"/, '"updated_at":TIME'),
    });
  }
  return answers;
}

/** @throws Error that shows the first difference: contenders that do not do the same work are not measured */
export function expectSame(name: string, answers: Answer[], ours: Answer[]): void {
  for (const [index, expected] of ours.entries()) {
    const actual = answers[index];
    const faults = [
      ...(['status', 'text'] as const).filter((field) => actual?.[field] !== expected[field]),
      ...Object.keys({ ...expected.headers, ...actual?.headers }).filter(
        (header) => actual?.headers[header] !== expected.headers[header],
      ),
    ];
    if (faults.length > 0) {
      throw new Error(
        `${name} does not answer ${expected.request} as ours does; different: ${faults.join(', ')}\n` +
          `ours: ${JSON.stringify(expected, null, 2)}\n${name}: ${JSON.stringify(actual, null, 2)}`,
      );
    }
  }
}

/** Makes sure that a contender refuses what ours refuses, by the status. @throws Error at the first that it does not */
export async function expectRefusals(name: string, url: string, person: Person, other: Person): Promise<void> {
  const tag = person.tags[0]!;
  const win = { body: 'x', space_id: person.spaceIds[0] };
  const cases: [status: number, token: string | undefined, method: Step['method'], path: string, body?: object][] = [
    [401, undefined, 'GET', '/api/v1/tags'],
    [401, person.token.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), 'GET', '/api/v1/tags'],
    [403, person.readToken, 'POST', '/api/v1/spaces', { space: { name: 'x' } }],
    [404, other.token, 'GET', `/api/v1/spaces/${person.spaceIds[0]}`],
    [404, other.token, 'PATCH', `/api/v1/tags/${tag.id}`, { tag: { name: 'x' } }],
    [404, other.token, 'DELETE', `/api/v1/spaces/${person.spaceIds[0]}`],
    [404, person.token, 'GET', '/api/v1/spaces/0x1'],
    [422, person.token, 'GET', '/api/v1/tags?page=abc'],
    [422, person.token, 'PATCH', `/api/v1/tags/${tag.id}`, { tag: { name: person.tags[1]!.name.toUpperCase() } }],
    [422, person.token, 'PATCH', `/api/v1/tags/${tag.id}`, { tag: { name: ' ' } }],
    [422, person.token, 'PATCH', `/api/v1/tags/${tag.id}`, { tag: { name: 'x'.repeat(31) } }],
    [422, person.token, 'PATCH', `/api/v1/tags/${tag.id}`, { tag: { name: 7 } }],
    [422, person.token, 'POST', '/api/v1/spaces', { space: { name: 'x', emoji: 'no' } }],
    [422, person.token, 'POST', '/api/v1/wins', { win: { ...win, space_id: other.spaceIds[0] } }],
    [422, person.token, 'POST', '/api/v1/wins', { win: { ...win, occurred_on: '2026-02-30' } }],
    [422, person.token, 'POST', '/api/v1/wins', { win: { ...win, tag_names: ['x'.repeat(31)] } }],
  ];
  for (const [status, token, method, path, body] of cases) {
    const response = await send(url, token, { method, path, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (response.status !== status) {
      throw new Error(
        `${name} answers ${method} ${path} ${JSON.stringify(body)} ${response.status}, not ${status}: ${text}`,
      );
    }
  }
}

function send(url: string, token: string | undefined, { method, path, body }: Step): Promise<Response> {
  return fetch(url + path, {
    method,
    body,
    headers: {
      'x-request-id': REQUEST_ID,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
  });
}
