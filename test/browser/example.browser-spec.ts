import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';
import { freePort } from '../harness/ports.js';
import { Process, Workshop } from '../harness/processes.js';
import { until } from '../harness/until.js';
import { launchChromium } from './chromium.js';

/**
 * The app of `examples/` as a frontend team has it: the client from its package, built by Vite, served from an origin of
 * its own.
 */

const workshop = new Workshop();

let browser: Browser;
let app: TestApp;
let server: Process;
let origin: string;

const npm = (folder: string, args: string[], env = {}) =>
  promisify(execFile)('npm', args, { cwd: folder, env: { ...process.env, NODE_OPTIONS: '', ...env } });

beforeAll(async () => {
  const folder = join(await workshop.folder(), 'app');
  await cp('examples', folder, {
    recursive: true,
    filter: (path) => !['node_modules', 'dist'].includes(basename(path)),
  });
  await npm(folder, ['ci', '--no-audit', '--no-fund']);
  await npm('.', ['pack', '--workspace', 'client', '--pack-destination', folder]);
  await npm(folder, ['install', '--no-save', '--no-audit', '--no-fund', './wins-client-0.1.0.tgz']);

  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  app = await startApp({ CORS_ORIGINS: origin });
  await npm(folder, ['run', 'build'], { VITE_WINS_URL: app.url });
  const vite = join(folder, 'node_modules/vite/bin/vite.js');
  const where = ['--host', '127.0.0.1', '--port', String(port), '--strictPort'];
  server = new Process(process.execPath, [vite, 'preview', ...where], {}, folder);
  await until(() => fetch(origin).then(Boolean, () => false));
  browser = await launchChromium();
}, 120_000);
afterAll(async () => {
  await browser.close();
  await server.stop();
  await app.close();
  await workshop.clean();
});

let ann: Person;
let api: Client;
let context: BrowserContext;
let page: Page;

beforeEach(async () => {
  ann = await app.make.person({ plan: 'pro' });
  api = app.as(ann);
  for (const name of ['Work', 'Home', 'Learning']) await api.post('/api/v1/spaces', { space: { name } });
  context = await browser.newContext();
  page = await open();
  await page.getByLabel('API token').fill(ann.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await shown('#spaces li', 3);
});
afterEach(() => context.close());

async function open(): Promise<Page> {
  const opened = await context.newPage();
  await opened.goto(origin);
  return opened;
}

/** Waits until the page has so many elements. */
const shown = (selector: string, count: number) => until(async () => (await page.locator(selector).count()) === count);

async function record(body: string, tags = ''): Promise<void> {
  await page.getByLabel('Win', { exact: true }).fill(body);
  await page.getByLabel('Tags, separated by commas').fill(tags);
  await page.getByRole('button', { name: 'Record' }).click();
}

const bodies = async () =>
  (await api.get<{ body: string }[]>('/api/v1/wins?sort=-created_at')).body.map(({ body }) => body);

it('sends later what is recorded offline, in order and once, even after the page was closed', async () => {
  await context.setOffline(true);
  await record('First');
  await record('Second');
  await shown('#waiting li', 2);
  expect(await bodies()).toEqual([]);
  await page.close();
  await context.setOffline(false);
  page = await open();
  await shown('#wins li', 2);
  await shown('#waiting li', 0);
  expect(await bodies()).toEqual(['Second', 'First']);
});

it('repeats a win whose response was lost with the same key', async () => {
  const replayed: (string | undefined)[] = [];
  page.on('response', (response) => {
    if (response.request().method() === 'POST') replayed.push(response.headers()['idempotency-replayed']);
  });
  await page.route('**/api/v1/wins', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch(); // done by the service, but the page never learns it
    await route.abort();
  });
  await record('Once');
  await until(async () => (await bodies()).length === 1);
  await shown('#waiting li', 1);
  await page.unroute('**/api/v1/wins');
  await shown('#waiting li', 0);
  await shown('#wins li', 1);
  expect(await bodies()).toEqual(['Once']);
  expect(replayed).toEqual(['true']);
});

const spaces = () => page.locator('#spaces li').allInnerTexts();
const orderOnServer = async () => (await api.get<{ name: string }[]>('/api/v1/spaces')).body.map(({ name }) => name);

it('puts spaces in another order by drag and drop', async () => {
  await page.locator('#spaces li', { hasText: 'Learning' }).dragTo(page.locator('#spaces li', { hasText: 'Work' }));
  await until(async () => (await orderOnServer()).join() === 'Learning,Work,Home');
  expect((await spaces()).map((text) => text.trim())).toEqual(['Learning (0)', 'Work (0)', 'Home (0)']);
});

it('puts them back if the service refuses', async () => {
  let isRefused = false;
  await page.route('**/api/v1/spaces/order', async (route) => {
    // Between the page's last look and its request, somebody adds a space.
    await api.post('/api/v1/spaces', { space: { name: 'New' } });
    const response = await route.fetch();
    isRefused = response.status() === 422;
    await route.fulfill({ response });
  });
  await page.locator('#spaces li', { hasText: 'Learning' }).dragTo(page.locator('#spaces li', { hasText: 'Work' }));
  await until(() => Promise.resolve(isRefused));
  await shown('#spaces li', 4);
  expect((await spaces()).map((text) => text.trim())).toEqual(['Work (0)', 'Home (0)', 'Learning (0)', 'New (0)']);
  expect(await page.getByRole('status').innerText()).not.toBe('');
});

it('offers to merge a tag into the one that has the name', async () => {
  await record('Shipped', 'Launch');
  await record('Released', 'Release');
  await shown('#tags li', 2);
  await page.getByLabel('Name of Release').fill('launch');
  await page
    .locator('#tags li', { has: page.getByLabel('Name of Release') })
    .getByText('Rename')
    .click();
  await page.getByRole('button', { name: 'Merge into Launch' }).click();
  await shown('#tags li', 1);
  const tags = await api.get('/api/v1/tags');
  expect(tags.body).toEqual([expect.objectContaining({ name: 'Launch', wins_count: 2 })]);
});

it('says what is wrong with a field in another language, from the code and its params', async () => {
  await page.getByLabel('Messages in').selectOption('Deutsch');
  await record(' ', 'x'.repeat(31));
  await until(async () => (await page.locator('[data-field="win.body"]').innerText()) === 'Darf nicht leer sein');
  expect(await page.locator('[data-field="win.tag_names"]').innerText()).toBe('Höchstens 30 Zeichen');
  await page.getByLabel('Messages in').selectOption('English');
  await record(' ');
  await until(async () => (await page.locator('[data-field="win.body"]').innerText()) === 'Must not be blank');
  expect(await bodies()).toEqual([]);
});

it('shows what others write, and gets a 304 while nobody does', async () => {
  // What comes over the wire: to the page, a 304 is the response that the browser has kept.
  const statuses: number[] = [];
  const wire = await context.newCDPSession(page);
  wire.on('Network.responseReceivedExtraInfo', ({ statusCode }) => statuses.push(statusCode));
  await wire.send('Network.enable');
  await until(() => Promise.resolve(statuses.filter((status) => status === 304).length >= 2));
  const space = (await api.get<{ id: number }[]>('/api/v1/spaces')).body[0]!;
  const win = await api.post<{ id: number }>('/api/v1/wins', {
    win: { body: 'From elsewhere', space_id: space.id, tag_names: ['Team'] },
  });
  await until(async () => (await page.locator('#wins').innerText()).includes('From elsewhere · #Team'));
  await api.delete(`/api/v1/wins/${win.body.id}`);
  await shown('#wins li', 0);
});
