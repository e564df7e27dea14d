import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { Sql } from '../../src/database/sql.js';
import { fillWithDemo } from '../../src/demo/fill.js';
import { startApp, type TestApp } from '../harness/app.js';
import { until } from '../harness/until.js';
import { launchChromium } from './chromium.js';
import { Explorer } from './explorer.js';

/**
 * The pictures of the explorer. They go to the folder that SCREENSHOTS names, such as `docs`, or to one that is thrown
 * away. For its emoji, Chromium needs a font such as Debian's `fonts-noto-color-emoji`.
 */

const MAX_SIZE = 300_000;

let app: TestApp;
let browser: Browser;
let folder: string;
let token: string;

beforeAll(async () => {
  browser = await launchChromium();
  folder = process.env.SCREENSHOTS ?? (await mkdtemp(join(tmpdir(), 'wins-screenshots-')));
  app = await startApp();
  const person = await app.make.person();
  token = person.token;
  await fillWithDemo(new Sql(app.dataSource), person.id);
});
afterAll(async () => {
  await browser.close();
  await app.close();
  if (process.env.SCREENSHOTS === undefined) await rm(folder, { recursive: true });
});

it.each([
  ['explorer-wide', { width: 1280, height: 860 }, undefined],
  ['explorer-narrow', { width: 390, height: 844 }, 'Account-getMe'],
])('%s.png is taken, and small', async (name, viewport, operation) => {
  const explorer = await Explorer.open(browser, app.url, { viewport });
  await explorer.authorize(token);
  if (operation !== undefined) {
    await explorer.execute(operation);
    const block = explorer.operation(operation);
    await until(async () => {
      await block.evaluate((element) => element.scrollIntoView()); // again, as it grows for a while
      return (await block.boundingBox())!.y < 100;
    });
  }
  await explorer.page.mouse.move(0, 0);
  const path = join(folder, `${name}.png`);
  await explorer.page.screenshot({ path });
  await explorer.close();
  const { size } = await stat(path);
  expect(size).toBeGreaterThan(20_000);
  expect(size).toBeLessThan(MAX_SIZE);
});
