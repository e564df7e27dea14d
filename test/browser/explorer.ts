import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What is filled in before a request is sent. */
interface Filled {
  /** Parameters, by their names. */
  parameters?: Record<string, string | number>;
  body?: object;
}

/** The explorer in a browser's window, used by hand as it were. */
export class Explorer {
  /** What there is to complain about: the console's errors and warnings, the policy's among them, and what is missing. */
  readonly complaints: string[] = [];
  /** Every address that was asked. */
  readonly requests: URL[] = [];

  private constructor(readonly page: Page) {
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      // Chromium reports every refusal; those of the API are asked for, and all others are counted below.
      if (!message.text().startsWith('Failed to load resource: the server responded')) {
        this.complaints.push(message.text());
      }
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('request', (request) => {
      if (request.url().startsWith('http')) this.requests.push(new URL(request.url()));
    });
    page.on('response', (response) => {
      if (response.status() >= 400 && !response.url().includes('/api/')) {
        this.complaints.push(`${response.status()} ${response.url()}`);
      }
    });
  }

  /** @param url where clients reach the service */
  static async open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Explorer> {
    const explorer = new Explorer(await (await browser.newContext(options)).newPage());
    await explorer.page.goto(`${url}/docs`);
    await explorer.loaded();
    return explorer;
  }

  async reload(): Promise<void> {
    await this.page.evaluate("history.replaceState(null, '', location.pathname)"); // else what the hash names is opened
    await this.page.reload();
    await this.loaded();
  }

  private loaded(): Promise<void> {
    return this.page.locator('#operations-Tags-listTags').waitFor();
  }

  close(): Promise<void> {
    return this.page.context().close();
  }

  async authorize(token: string): Promise<void> {
    await this.page.locator('button.authorize').first().click();
    await this.page.locator('.auth-container input').fill(token);
    await this.page.locator('.auth-btn-wrapper button[type=submit]').click();
    await this.page.locator('.auth-btn-wrapper .btn-done').click();
  }

  /** The block of an operation. @param name its tag and id, such as `Tags-listTags` */
  operation(name: string) {
    return this.page.locator(`#operations-${name}`);
  }

  /** Opens an operation, sends it and closes it. @returns the status and the text of the answer that is shown */
  async send(name: string, filled: Filled = {}): Promise<{ status: string; text: string }> {
    await this.execute(name, filled);
    const answer = this.operation(name).locator('.live-responses-table .response');
    const shown = {
      status: (await answer.locator('.response-col_status').innerText()).trim(),
      text: await answer.locator('.response-col_description').innerText(),
    };
    await this.operation(name).locator('.opblock-summary-control').click();
    return shown;
  }

  /** Opens an operation, sends it and waits for the answer. */
  async execute(name: string, { parameters = {}, body }: Filled = {}): Promise<void> {
    const block = this.operation(name);
    await block.locator('.opblock-summary-control').click();
    for (const [parameter, value] of Object.entries(parameters)) {
      await block.locator(`[data-param-name="${parameter}"] input`).fill(String(value));
    }
    if (body !== undefined) await block.locator('textarea.body-param__text').fill(JSON.stringify(body));
    const answered = this.page.waitForResponse((response) => response.url().includes('/api/'));
    await block.locator('button.execute').click();
    await answered;
    await block.locator('.live-responses-table .response').waitFor();
  }

  /** What violates WCAG 2.2 AA as the page stands: the rule of axe, and an element. */
  async violations(): Promise<string[]> {
    await this.page.evaluate(AXE);
    const { violations } = await this.page.evaluate<{
      violations: { id: string; nodes: { html: string }[] }[];
    }>("axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })");
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  }
}
