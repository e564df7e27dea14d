import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSync } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';

/** The client in a page of another origin. Needs Debian's `chromium`. */

let site: Server;
let app: TestApp;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  site = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'));
  await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  app = await startApp({ CORS_ORIGINS: origin });
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
  page = await browser.newPage();
  await page.goto(origin);
});
afterAll(async () => {
  await browser.close();
  await app.close();
  site.close();
});

/** Runs a script in the page, which has `createClient`, `WinsError`, `baseUrl` and `token`. @returns what it returns */
function run(script: string, token: string): Promise<unknown> {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `import { createClient, WinsError } from './client/src/index.js';
        const [baseUrl, token] = ${JSON.stringify([app.url, token])};
        export const answer = (async () => { ${script} })();`,
      resolveDir: '.',
    },
    bundle: true,
    format: 'iife',
    globalName: 'script',
    write: false,
  });
  return page.evaluate(`${outputFiles[0]!.text}; script.answer`);
}

it('lists, creates, renames and deletes', async () => {
  const { token } = await app.make.person();
  const script = `
    const wins = createClient({ baseUrl, token: async () => token });
    for (const name of ['One', 'Two', 'Tree']) await wins.createTag({ tag: { name } });
    const { items, total, lastPage } = await wins.listTags({ per_page: 2 });
    await wins.renameTag({ id: items[1].id, tag: { name: 'Three' } });
    const nothing = await wins.deleteTag({ id: items[0].id });
    const names = [];
    for await (const { name } of wins.listTags({ per_page: 1 })) names.push(name);
    return { total, lastPage, nothing, names };`;
  expect(await run(script, token)).toEqual({ total: 3, lastPage: 2, nothing: undefined, names: ['Three', 'Two'] });
});

it('tells what it is refused with', async () => {
  const { token } = await app.make.person();
  const script = `
    const refusal = (call) => call.catch(({ name, code, status, requestId }) => [name, code, status, requestId !== undefined]);
    const wins = createClient({ baseUrl, token });
    return Promise.all([
      refusal(createClient({ baseUrl, token: 'wins_wrong' }).getMe()),
      refusal(wins.getTag({ id: 1 })),
      refusal(wins.createTag({ tag: { name: '' } })),
    ]);`;
  expect(await run(script, token)).toEqual([
    ['WinsError', 'unauthenticated', 401, true],
    ['WinsError', 'not_found', 404, true],
    ['WinsError', 'validation_failed', 422, true],
  ]);
});

it("takes the start page that its own origin answers for every path for no answer of the service's", async () => {
  const script = `
    const error = await createClient({ baseUrl: '', token }).getMe().catch((error) => error);
    return [error instanceof WinsError, error.code, error.status];`;
  expect(await run(script, 'wins_any')).toEqual([true, 'unexpected_response', 200]);
});

it('lets pass what fetch throws, an aborted call too', async () => {
  const script = `
    const nowhere = createClient({ baseUrl: 'http://127.0.0.1:1', token });
    const name = (call) => call.catch(({ name }) => name);
    return [await name(nowhere.getMe()), await name(nowhere.getMe({ signal: AbortSignal.abort() }))];`;
  expect(await run(script, 'wins_any')).toEqual(['TypeError', 'AbortError']);
});
