import type { Browser, BrowserContextOptions } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';
import { launchChromium } from './chromium.js';
import { Explorer } from './explorer.js';

/** The service, a browser, somebody with a token in each test, and the explorer that the test opens. */
export class ExplorerStage {
  app!: TestApp;
  browser!: Browser;
  ann!: Person;
  api!: Client;
  explorer!: Explorer;

  /** Prepares it for the tests of a file. */
  static use(): ExplorerStage {
    const stage = new ExplorerStage();
    beforeAll(async () => {
      stage.browser = await launchChromium();
      stage.app = await startApp();
    });
    afterAll(async () => {
      await stage.browser.close();
      await stage.app.close();
    });
    beforeEach(async () => {
      stage.ann = await stage.app.make.person();
      stage.api = stage.app.as(stage.ann);
    });
    afterEach(() => stage.explorer.close());
    return stage;
  }

  async open(options?: BrowserContextOptions, url = this.app.url): Promise<Explorer> {
    return (this.explorer = await Explorer.open(this.browser, url, options));
  }
}
