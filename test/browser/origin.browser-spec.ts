import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import { errors } from '../harness/errors.js';
import type { Person } from '../harness/factories.js';
import { Workshop } from '../harness/processes.js';
import { countRows } from '../harness/rows.js';
import { launchChromium } from './chromium.js';

/** Pages of other origins, one of which the service knows, that call the API by `fetch`. */

const READ = ['x-total-count', 'link', 'location', 'retry-after', 'www-authenticate', 'x-request-id'] as const;

const workshop = new Workshop();

let browser: Browser;
let known: Server;
let unknown: Server;
let app: TestApp;
let ann: Person;
let page: Page;

/** A server of one empty page. */
async function servePage(): Promise<Server> {
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><link rel="icon" href="data:,">'),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  browser = await launchChromium();
  [known, unknown] = [await servePage(), await servePage()];
  app = await startApp({ CORS_ORIGINS: originOf(known) });
});
afterAll(async () => {
  await browser.close();
  await workshop.clean();
  await app.close();
  for (const server of [known, unknown]) server.close();
});
beforeEach(async () => {
  ann = await app.make.person();
  page = await (await browser.newContext()).newPage();
  await page.goto(originOf(known));
});
afterEach(() => page.context().close());

/** Calls the API from the page. @returns what its script could read */
function call(method: string, path: string, json?: object, { url = app.url, token = ann.token } = {}) {
  return page.evaluate(
    async ({ address, init, names }) => {
      const response = await fetch(address, init);
      const text = await response.text();
      return {
        status: response.status,
        headers: Object.fromEntries(names.map((name) => [name, response.headers.get(name)])),
        body: text === '' ? undefined : JSON.parse(text),
      };
    },
    {
      address: url + path,
      init: {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(json !== undefined && { 'content-type': 'application/json' }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      },
      names: READ,
    },
  );
}

describe('a page of a known origin', () => {
  it('creates, lists, patches and deletes', async () => {
    const created = await call('POST', '/api/v1/tags', { tag: { name: 'Launch' } });
    const path = `/api/v1/tags/${created.body.id}`;
    expect(created).toMatchObject({ status: 201, body: { name: 'Launch' }, headers: { location: path } });
    await call('POST', '/api/v1/tags', { tag: { name: 'Team' } });

    const listed = await call('GET', '/api/v1/tags?per_page=1');
    expect(listed).toMatchObject({ status: 200, body: [{ name: 'Launch' }], headers: { 'x-total-count': '2' } });
    expect(listed.headers.link).toContain('</api/v1/tags?per_page=1&page=2>; rel="next"');

    const renamed = await call('PATCH', path, { tag: { name: 'Liftoff' } });
    expect(renamed).toMatchObject({ status: 200, body: { id: created.body.id, name: 'Liftoff' } });

    expect(await call('DELETE', path)).toMatchObject({ status: 204, body: undefined });
    expect(await countRows(app.dataSource, 'tags', ann)).toBe(1);
  });

  it('reads what it is refused for', async () => {
    const stranger = await call('GET', '/api/v1/tags', undefined, { token: 'wins_0' });
    expect(stranger).toEqual(errors.unauthenticated);
    expect(stranger.headers['www-authenticate']).toBe('Bearer error="invalid_token"');

    const blank = await call('POST', '/api/v1/spaces', { space: { name: ' ', position: '1' } });
    expect(blank).toEqual(errors.invalid('space.name blank', 'space.position invalid_type'));

    for (const name of ['Work', 'Home', 'Learning']) await call('POST', '/api/v1/spaces', { space: { name } });
    const fourth = await call('POST', '/api/v1/spaces', { space: { name: 'Side project' } });
    expect(fourth).toEqual(errors.spaceLimit);
    expect(fourth.headers['x-request-id']).toBe(fourth.body.request_id);
  });

  it('reads that it asks too often, and how long to wait', async () => {
    const { url } = await workshop.serve({
      DATABASE_URL: process.env.TEST_DATABASE_URL,
      CORS_ORIGINS: originOf(known),
      RATE_LIMIT_PER_MINUTE: '2',
    });
    const list = () => call('GET', '/api/v1/tags', undefined, { url });
    expect([(await list()).status, (await list()).status]).toEqual([200, 200]);
    const refused = await list();
    expect(refused).toMatchObject({ status: 429, body: { error: 'Too many requests', code: 'rate_limited' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  });
});

describe('a page of an unknown origin', () => {
  it('reads nothing and writes nothing', async () => {
    await app.as(ann).post('/api/v1/tags', { tag: { name: 'Launch' } });
    await page.goto(originOf(unknown));
    await expect(call('GET', '/api/v1/tags')).rejects.toThrow('Failed to fetch');
    await expect(call('POST', '/api/v1/tags', { tag: { name: 'Team' } })).rejects.toThrow('Failed to fetch');
    await expect(call('GET', '/healthz')).rejects.toThrow('Failed to fetch');
    expect(await countRows(app.dataSource, 'tags', ann)).toBe(1);
  });
});
