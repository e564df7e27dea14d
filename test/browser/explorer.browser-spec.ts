import type { Browser, BrowserContextOptions } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import { document } from '../harness/document.js';
import type { Person } from '../harness/factories.js';
import { Workshop } from '../harness/processes.js';
import { until } from '../harness/until.js';
import { launchChromium } from './chromium.js';
import { Explorer } from './explorer.js';
import { startProxy } from './proxy.js';

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const workshop = new Workshop();

let app: TestApp;
let browser: Browser;
let ann: Person;
let api: Client;
let explorer: Explorer;

beforeAll(async () => {
  browser = await launchChromium();
  app = await startApp();
});
afterAll(async () => {
  await browser.close();
  await workshop.clean();
  await app.close();
});
beforeEach(async () => {
  ann = await app.make.person();
  api = app.as(ann);
});
afterEach(() => explorer.close());

const open = async (options?: BrowserContextOptions, url = app.url) =>
  (explorer = await Explorer.open(browser, url, options));

const tagsOf = async (client: Client) =>
  (await client.get<{ id: number; name: string }[]>('/api/v1/tags')).body.map(({ name }) => name);

describe('the explorer', () => {
  it('shows the name, where a token comes from and every operation', async () => {
    await open();
    const { page } = explorer;
    expect(await page.title()).toBe('Wins: API explorer');
    expect(await page.locator('h1').innerText()).toContain('Wins');
    expect(await page.locator('.info').innerText()).toMatch(/Press Authorize and paste yours[^]*\.data\/demo-token/);
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(await page.locator('.opblock').count()).toBe(operations.length);
    const summaries = await page.locator('.opblock-summary-description').allInnerTexts();
    expect(summaries.toSorted()).toEqual(operations.map(({ summary }) => summary).toSorted());
  });

  it.each(['light', 'dark'] as const)(
    'gives nothing to complain about and asks nobody else, in the %s',
    async (colorScheme) => {
      await open({ colorScheme });
      await explorer.authorize(ann.token);
      await explorer.send('Tags-listTags');
      await explorer.send('Spaces-createSpace');
      expect(explorer.complaints).toEqual([]);
      expect(explorer.requests.length).toBeGreaterThan(7);
      expect(explorer.requests.filter(({ origin }) => origin !== app.url)).toEqual([]);
      const background = await explorer.page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      expect(background).toBe(colorScheme === 'light' ? 'rgb(246, 247, 251)' : 'rgb(18, 20, 28)');
    },
  );

  it('can run nothing that is not its own', async () => {
    await open();
    const { headers } = await fetch(`${app.url}/docs`);
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe|\*|https?:/);
    await explorer.page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'globalThis.foreign = true';
      document.body.append(script);
      setTimeout('globalThis.foreign = true');
      new Promise((done) => setTimeout(done, 100))`);
    expect(await explorer.page.evaluate('globalThis.foreign')).toBeUndefined();
    expect(explorer.complaints).toEqual([expect.stringMatching(/script-src/), expect.stringMatching(/script-src/)]);
  });

  it('lists, creates, renames and deletes', async () => {
    await open();
    await explorer.authorize(ann.token);

    const created = await explorer.send('Tags-createTag', { body: { tag: { name: 'Launch' } } });
    expect(created).toEqual({ status: '201', text: expect.stringContaining('"name": "Launch"') });
    const { id } = (await api.get<{ id: number }[]>('/api/v1/tags')).body[0]!;

    const listed = await explorer.send('Tags-listTags');
    expect(listed).toEqual({ status: '200', text: expect.stringContaining(`"id": ${id}`) });
    expect(listed.text).toContain('x-total-count: 1');

    const renamed = await explorer.send('Tags-renameTag', { parameters: { id }, body: { tag: { name: 'Liftoff' } } });
    expect(renamed).toEqual({ status: '200', text: expect.stringContaining('"name": "Liftoff"') });
    expect(await tagsOf(api)).toEqual(['Liftoff']);

    const deleted = await explorer.send('Tags-deleteTag', { parameters: { id } });
    expect(deleted.status).toBe('204');
    expect(await tagsOf(api)).toEqual([]);
    expect(explorer.complaints).toEqual([]);
  });

  it('sends the examples of the document as they stand', async () => {
    await open();
    await explorer.authorize(ann.token);
    expect((await explorer.send('Tags-createTag')).status).toBe('201');
    expect((await explorer.send('Spaces-createSpace')).status).toBe('201');
    expect((await explorer.send('Account-createToken')).status).toBe('201');
    expect((await explorer.send('Wins-listWins')).status).toBe('200');
  });

  it('shows a refusal as what it is', async () => {
    for (const name of ['Work', 'Home', 'Learning']) await api.post('/api/v1/spaces', { space: { name } });
    await open();
    const stranger = await explorer.send('Tags-listTags');
    expect(stranger).toEqual({ status: '401', text: expect.stringContaining('"error": "Authentication required"') });
    expect(stranger.text).toContain('www-authenticate: Bearer');

    await explorer.authorize(ann.token);
    const fourth = await explorer.send('Spaces-createSpace', { body: { space: { name: 'Side project' } } });
    expect(fourth).toEqual({ status: '402', text: expect.stringContaining('"code": "plan_limit_reached"') });
    expect(fourth.text).toContain('"upgrade_url": "https://example.com/upgrade"');

    const invalid = await explorer.send('Spaces-createSpace', { body: { space: { name: ' ', emoji: 'x' } } });
    expect(invalid).toEqual({ status: '422', text: expect.stringContaining('"code": "validation_failed"') });
    for (const message of ['Must not be blank', 'Must be exactly one emoji']) {
      expect(invalid.text).toContain(`"message": "${message}"`);
    }
  });

  it('keeps the token over a reload, until it is told to forget it', async () => {
    await open();
    await explorer.authorize(ann.token);
    await explorer.reload();
    expect((await explorer.send('Tags-listTags')).status).toBe('200');
    await explorer.page.locator('button.authorize').first().click();
    await explorer.page.getByRole('button', { name: 'Logout' }).click();
    await explorer.page.locator('.auth-btn-wrapper .btn-done').click();
    await explorer.reload();
    expect((await explorer.send('Tags-listTags')).status).toBe('401');
  });

  it('opens the operation that an address names', async () => {
    await open();
    await explorer.page.goto(`${app.url}/docs#/Spaces/createSpace`);
    await explorer.page.reload();
    await explorer.operation('Spaces-createSpace').locator('textarea').waitFor();
  });
});

const summaries = () => explorer.page.locator('.opblock-summary-description').allInnerTexts();

describe('what Swagger UI does not have', () => {
  it('finds operations by the words of a search', async () => {
    await open();
    const search = explorer.page.getByRole('searchbox', { name: 'Search operations' });
    await search.fill('tag merge');
    expect(await summaries()).toEqual(['Merge a tag into another']);
    await search.fill('post /spaces');
    expect(await summaries()).toEqual(['Create a space']);
    await search.fill('nothing at all');
    expect(await explorer.page.getByText('No operation has these words').isVisible()).toBe(true);
    await search.fill('');
    expect((await summaries()).length).toBeGreaterThan(20);
  });

  it('says whose token was given, or that it is nobody’s', async () => {
    await open();
    const owner = explorer.page.locator('.schemes .owner');
    const says = (sentence: string) => until(async () => (await owner.innerText()) === sentence);
    await explorer.authorize('wins_typo');
    await says('This token is not valid');
    await explorer.page.locator('button.authorize').first().click();
    await explorer.page.getByRole('button', { name: 'Logout' }).click();
    await explorer.page.locator('.auth-btn-wrapper .btn-done').click();
    await says('');
    await explorer.authorize(ann.token);
    await says(`Signed in as ${ann.email}`);
    await explorer.reload();
    await says(`Signed in as ${ann.email}`);
  });

  it('shows errors once they are asked for, below the answer', async () => {
    await open();
    await explorer.authorize(ann.token);
    await explorer.execute('Tags-createTag');
    const block = explorer.operation('Tags-createTag');
    const documented = () =>
      block.locator('.responses-table:not(.live-responses-table) tr.response .response-col_status');
    const statuses = async () => (await documented().allInnerTexts()).map((text) => Number.parseInt(text, 10));
    expect(await statuses()).toEqual([201]);
    const live = (await block.locator('.live-responses-table').boundingBox())!;
    expect((await documented().first().boundingBox())!.y).toBeGreaterThan(live.y);
    await block.locator('.errors > summary').click();
    await until(async () => (await statuses()).includes(422));
    expect(await statuses()).toEqual(expect.arrayContaining([201, 401, 422, 429]));
  });

  it('has samples for curl, fetch and the client', async () => {
    await open();
    await explorer.operation('Tags-createTag').locator('.opblock-summary-control').click();
    const samples = explorer.operation('Tags-createTag').locator('.samples');
    for (const [name, start] of [
      ['curl', 'curl "$URL/api/v1/tags"'],
      ['fetch', 'const response = await fetch(`${url}/api/v1/tags`'],
      ['client', "await wins.createTag({ tag: { name: 'Launch' } })"],
    ] as const) {
      await samples.getByRole('button', { name }).click();
      expect(await samples.locator('pre').innerText()).toContain(start);
    }
  });

  it.each([
    ['light', 'wide', {}],
    ['dark', 'narrow', PHONE],
  ] as const)('is accessible as WCAG 2.2 AA asks, as far as axe can tell (%s, %s)', async (colorScheme, _, options) => {
    await open({ ...options, colorScheme });
    expect(await explorer.violations()).toEqual([]);
    await explorer.page.locator('button.authorize').first().click();
    expect(await explorer.violations()).toEqual([]);
    await explorer.page.locator('.auth-btn-wrapper .btn-done').click();
    await explorer.authorize(ann.token);
    await explorer.execute('Spaces-createSpace');
    await explorer.execute('Wins-listWins');
    await explorer.operation('Spaces-createSpace').locator('.errors > summary').click();
    expect(await explorer.violations()).toEqual([]);
  });
});

describe('on a phone', () => {
  it('never scrolls sideways, and what is to be read is large enough', async () => {
    await open(PHONE);
    const { page } = explorer;
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth');
    const sizes = (selector: string) =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('${selector}')].map((e) => parseFloat(getComputedStyle(e).fontSize))`,
      );
    expect(await width()).toBe(390);
    await explorer.authorize(ann.token);
    await explorer.execute('Wins-listWins');
    await explorer.execute('Spaces-createSpace');
    expect(await width()).toBe(390);
    for (const selector of ['.info p', '.info li', '.opblock-description p', '.parameters .renderedMarkdown p']) {
      const all = await sizes(selector);
      expect([selector, all.length > 0, Math.min(...all) >= 14]).toEqual([selector, true, true]);
    }
    expect(
      Math.min(...(await sizes('.opblock-summary-path, .opblock-summary-description, .microlight'))),
    ).toBeGreaterThanOrEqual(12);
    expect(explorer.complaints).toEqual([]);
  });

  it('has every path, field and button within the screen', async () => {
    await open(PHONE);
    await explorer.authorize(ann.token);
    await explorer.execute('Spaces-createSpace');
    const outside = await explorer.page.evaluate<string[]>(`
      [...document.querySelectorAll('h1, p, button, input, textarea, select, .opblock-summary-path, .response-col_status')]
        .filter((element) => {
          const { left, right, width } = element.getBoundingClientRect();
          return width > 0 && (left < 0 || right > 390);
        })
        .map((element) => element.outerHTML.slice(0, 100))`);
    expect(outside).toEqual([]);
  });
});

describe('below a path of another server', () => {
  it('works as it does at the root', async () => {
    const proxy = await startProxy('/team/wins');
    const service = await workshop.serve({ DATABASE_URL: process.env.TEST_DATABASE_URL, PUBLIC_URL: proxy.url });
    proxy.forwardTo(service.url);
    try {
      await open({}, proxy.url);
      await explorer.authorize(ann.token);
      const made = await explorer.send('Tags-createTag');
      expect(made.status).toBe('201');
      expect(made.text).toContain(`location: ${proxy.url}/api/v1/tags/`);
      await explorer.page.goto(`${proxy.url}/docs/`);
      expect(explorer.page.url()).toBe(`${proxy.url}/docs`);
      expect(explorer.requests.filter(({ href }) => !href.startsWith(`${proxy.url}/`))).toEqual([]);
      expect(explorer.complaints).toEqual([]);
    } finally {
      await proxy.close();
    }
  });
});
