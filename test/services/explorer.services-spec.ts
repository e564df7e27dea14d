import { chromium, type Browser, type Page } from 'playwright-core';
import { startApp, type TestApp } from '../app.js';
import type { Person } from '../factories.js';

/** Needs Debian's `chromium`. */

let app: TestApp;
let browser: Browser;
let page: Page;
let ann: Person;
/** What the browser had to complain about, violations of the content policy among it. */
let complaints: string[];

beforeAll(async () => {
  app = await startApp();
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
});
afterAll(async () => {
  await browser.close();
  await app.close();
});
beforeEach(async () => {
  ann = await app.make.person();
  complaints = [];
  page = await (await browser.newContext()).newPage();
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== app.url && protocol.startsWith('http')) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(`${app.url}/docs`);
  await page.locator('#operations-Tags-listTags').waitFor();
});
afterEach(() => page.context().close());

async function authorize(): Promise<void> {
  await page.locator('button.authorize').first().click();
  await page.locator('.auth-container input').fill(ann.token);
  await page.locator('.auth-btn-wrapper button[type=submit]').click();
  await page.locator('.auth-btn-wrapper .btn-done').click();
}

/** Sends the operation that is called so. @returns the status and the text of the answer that is shown */
async function send(operation: string): Promise<{ status: string; text: string }> {
  const block = page.locator(`#operations-${operation}`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('button.execute').click();
  const answer = block.locator('.live-responses-table .response');
  await answer.waitFor();
  return {
    status: (await answer.locator('.response-col_status').innerText()).trim(),
    text: await answer.locator('.highlight-code').first().innerText(),
  };
}

it('lists every operation, with nothing to complain about and nothing from elsewhere', async () => {
  expect(await page.locator('.opblock').count()).toBeGreaterThanOrEqual(22);
  expect(complaints).toEqual([]);
});

it('sends the token that was entered, also after a reload', async () => {
  await app.as(ann).post('/api/v1/tags', { tag: { name: 'Launch' } });
  await authorize();
  const before = await send('Tags-listTags');
  expect([before.status, before.text.includes('Launch')]).toEqual(['200', true]);
  await page.evaluate("history.replaceState(null, '', location.pathname)"); // the reload opens what the hash names
  await page.reload();
  const after = await send('Tags-listTags');
  expect([after.status, after.text.includes('Launch')]).toEqual(['200', true]);
  expect(complaints).toEqual([]);
});

it('shows a refusal as what it is', async () => {
  const { status, text } = await send('Tags-listTags');
  expect([status, text.includes('Authentication required')]).toEqual(['401', true]);
});
