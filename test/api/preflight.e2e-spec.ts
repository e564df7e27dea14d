import { startApp, type TestApp } from '../harness/app.js';
import { errors } from '../harness/errors.js';
import { exchange, rawRequest } from '../harness/raw.js';

const ORIGIN = 'https://app.example';
const TAGS = '/api/v1/tags';
const asked = { origin: ORIGIN, 'access-control-request-method': 'POST' };

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ CORS_ORIGINS: ORIGIN });
});
afterAll(() => app.close());

const options = (headers: Record<string, string>) => exchange(app.url, rawRequest('OPTIONS', TAGS, headers));

it('has what every answer has', async () => {
  const { status, headers, text } = await options({ ...asked, 'x-request-id': 'mine' });
  expect([status, text]).toEqual([204, '']);
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-request-id': 'mine',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': ORIGIN,
    'access-control-max-age': '600',
  });
  expect(headers.get('vary')).toBe('Authorization, Origin, Access-Control-Request-Headers');
});

it('repeats up to 1,024 bytes of header names', async () => {
  for (const [length, status] of [
    [1_024, 204],
    [1_025, 400],
  ] as const) {
    const names = 'x'.repeat(length);
    expect(await options({ ...asked, 'access-control-request-headers': names })).toMatchObject({ status });
  }
});

it.each([
  ['no method', { origin: ORIGIN }],
  ['no origin', { 'access-control-request-method': 'POST' }],
  ['neither', {}],
  ['more header names than it repeats', { ...asked, 'access-control-request-headers': 'x-a,'.repeat(300) }],
])('is refused in the one shape with %s', async (_, headers) => {
  const answer = await options(headers as Record<string, string>);
  expect(answer).toEqual(errors.malformed);
  expect(answer.headers.get('x-request-id')).toBe((answer.body as { request_id: string }).request_id);
  expect(answer.headers.get('access-control-allow-headers')).toBeNull();
});
