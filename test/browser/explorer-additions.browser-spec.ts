import type { BrowserContextOptions } from 'playwright-core';
import { until } from '../harness/until.js';
import { ExplorerStage } from './explorer-stage.js';

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const stage = ExplorerStage.use();

const summaries = () => stage.explorer.page.locator('.opblock-summary-description').allInnerTexts();

describe('what Swagger UI does not have', () => {
  it('finds operations by the words of a search', async () => {
    await stage.open();
    const search = stage.explorer.page.getByRole('searchbox', { name: 'Search operations' });
    await search.fill('tag merge');
    expect(await summaries()).toEqual(['Merge a tag into another']);
    await search.fill('post /spaces');
    expect(await summaries()).toEqual(['Create a space']);
    await search.fill('nothing at all');
    expect(await stage.explorer.page.getByText('No operation has these words').isVisible()).toBe(true);
    await search.fill('');
    expect((await summaries()).length).toBeGreaterThan(20);
  });

  it('says whose token was given, or that it is nobody’s', async () => {
    await stage.open();
    const owner = stage.explorer.page.locator('.schemes .owner');
    const says = (sentence: string) => until(async () => (await owner.innerText()) === sentence);
    await stage.explorer.authorize('wins_typo');
    await says('This token is not valid');
    await stage.explorer.page.locator('button.authorize').first().click();
    await stage.explorer.page.getByRole('button', { name: 'Logout' }).click();
    await stage.explorer.page.locator('.auth-btn-wrapper .btn-done').click();
    await says('');
    await stage.explorer.authorize(stage.ann.token);
    await says(`Signed in as ${stage.ann.email}`);
    await stage.explorer.reload();
    await says(`Signed in as ${stage.ann.email}`);
  });

  it('shows errors once they are asked for, below the answer', async () => {
    await stage.open();
    await stage.explorer.authorize(stage.ann.token);
    await stage.explorer.execute('Tags-createTag');
    const block = stage.explorer.operation('Tags-createTag');
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
    await stage.open();
    await stage.explorer.operation('Tags-createTag').locator('.opblock-summary-control').click();
    const samples = stage.explorer.operation('Tags-createTag').locator('.samples');
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
    await stage.open({ ...options, colorScheme });
    expect(await stage.explorer.violations()).toEqual([]);
    await stage.explorer.page.locator('button.authorize').first().click();
    expect(await stage.explorer.violations()).toEqual([]);
    await stage.explorer.page.locator('.auth-btn-wrapper .btn-done').click();
    await stage.explorer.authorize(stage.ann.token);
    await stage.explorer.execute('Spaces-createSpace');
    await stage.explorer.execute('Wins-listWins');
    await stage.explorer.operation('Spaces-createSpace').locator('.errors > summary').click();
    expect(await stage.explorer.violations()).toEqual([]);
  });
});

describe('on a phone', () => {
  it('never scrolls sideways, and what is to be read is large enough', async () => {
    await stage.open(PHONE);
    const { page } = stage.explorer;
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth');
    const sizes = (selector: string) =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('${selector}')].map((e) => parseFloat(getComputedStyle(e).fontSize))`,
      );
    expect(await width()).toBe(390);
    await stage.explorer.authorize(stage.ann.token);
    await stage.explorer.execute('Wins-listWins');
    await stage.explorer.execute('Spaces-createSpace');
    expect(await width()).toBe(390);
    for (const selector of ['.info p', '.info li', '.opblock-description p', '.parameters .renderedMarkdown p']) {
      const all = await sizes(selector);
      expect([selector, all.length > 0, Math.min(...all) >= 14]).toEqual([selector, true, true]);
    }
    expect(
      Math.min(...(await sizes('.opblock-summary-path, .opblock-summary-description, .microlight'))),
    ).toBeGreaterThanOrEqual(12);
    expect(stage.explorer.complaints).toEqual([]);
  });

  it('has every path, field and button within the screen', async () => {
    await stage.open(PHONE);
    await stage.explorer.authorize(stage.ann.token);
    await stage.explorer.execute('Spaces-createSpace');
    const outside = await stage.explorer.page.evaluate<string[]>(`
      [...document.querySelectorAll('h1, p, button, input, textarea, select, .opblock-summary-path, .response-col_status')]
        .filter((element) => {
          const { left, right, width } = element.getBoundingClientRect();
          return width > 0 && (left < 0 || right > 390);
        })
        .map((element) => element.outerHTML.slice(0, 100))`);
    expect(outside).toEqual([]);
  });
});
