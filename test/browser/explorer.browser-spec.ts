import type { Client } from '../harness/client.js';
import { document } from '../harness/document.js';
import { Workshop } from '../harness/processes.js';
import { ExplorerStage } from './explorer-stage.js';
import { startProxy } from './proxy.js';

const workshop = new Workshop();
afterAll(() => workshop.clean());
const stage = ExplorerStage.use();

const tagsOf = async (client: Client) =>
  (await client.get<{ id: number; name: string }[]>('/api/v1/tags')).body.map(({ name }) => name);

describe('the explorer', () => {
  it('shows the name, where a token comes from and every operation', async () => {
    await stage.open();
    const { page } = stage.explorer;
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
      await stage.open({ colorScheme });
      await stage.explorer.authorize(stage.ann.token);
      await stage.explorer.send('Tags-listTags');
      await stage.explorer.send('Spaces-createSpace');
      expect(stage.explorer.complaints).toEqual([]);
      expect(stage.explorer.requests.length).toBeGreaterThan(7);
      expect(stage.explorer.requests.filter(({ origin }) => origin !== stage.app.url)).toEqual([]);
      const background = await stage.explorer.page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      expect(background).toBe(colorScheme === 'light' ? 'rgb(246, 247, 251)' : 'rgb(18, 20, 28)');
    },
  );

  it('can run nothing that is not its own', async () => {
    await stage.open();
    const { headers } = await fetch(`${stage.app.url}/docs`);
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe|\*|https?:/);
    await stage.explorer.page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'globalThis.foreign = true';
      document.body.append(script);
      setTimeout('globalThis.foreign = true');
      new Promise((done) => setTimeout(done, 100))`);
    expect(await stage.explorer.page.evaluate('globalThis.foreign')).toBeUndefined();
    expect(stage.explorer.complaints).toEqual([
      expect.stringMatching(/script-src/),
      expect.stringMatching(/script-src/),
    ]);
  });

  it('lists, creates, renames and deletes', async () => {
    await stage.open();
    await stage.explorer.authorize(stage.ann.token);

    const created = await stage.explorer.send('Tags-createTag', { body: { tag: { name: 'Launch' } } });
    expect(created).toEqual({ status: '201', text: expect.stringContaining('"name": "Launch"') });
    const { id } = (await stage.api.get<{ id: number }[]>('/api/v1/tags')).body[0]!;

    const listed = await stage.explorer.send('Tags-listTags');
    expect(listed).toEqual({ status: '200', text: expect.stringContaining(`"id": ${id}`) });
    expect(listed.text).toContain('x-total-count: 1');

    const renamed = await stage.explorer.send('Tags-renameTag', {
      parameters: { id },
      body: { tag: { name: 'Liftoff' } },
    });
    expect(renamed).toEqual({ status: '200', text: expect.stringContaining('"name": "Liftoff"') });
    expect(await tagsOf(stage.api)).toEqual(['Liftoff']);

    const deleted = await stage.explorer.send('Tags-deleteTag', { parameters: { id } });
    expect(deleted.status).toBe('204');
    expect(await tagsOf(stage.api)).toEqual([]);
    expect(stage.explorer.complaints).toEqual([]);
  });

  it('sends the examples of the document as they stand', async () => {
    await stage.open();
    await stage.explorer.authorize(stage.ann.token);
    expect((await stage.explorer.send('Tags-createTag')).status).toBe('201');
    expect((await stage.explorer.send('Spaces-createSpace')).status).toBe('201');
    expect((await stage.explorer.send('Account-createToken')).status).toBe('201');
    expect((await stage.explorer.send('Wins-listWins')).status).toBe('200');
  });

  it('shows a refusal as what it is', async () => {
    for (const name of ['Work', 'Home', 'Learning']) await stage.api.post('/api/v1/spaces', { space: { name } });
    await stage.open();
    const stranger = await stage.explorer.send('Tags-listTags');
    expect(stranger).toEqual({ status: '401', text: expect.stringContaining('"error": "Authentication required"') });
    expect(stranger.text).toContain('www-authenticate: Bearer');

    await stage.explorer.authorize(stage.ann.token);
    const fourth = await stage.explorer.send('Spaces-createSpace', { body: { space: { name: 'Side project' } } });
    expect(fourth).toEqual({ status: '402', text: expect.stringContaining('"code": "plan_limit_reached"') });
    expect(fourth.text).toContain('"upgrade_url": "https://example.com/upgrade"');

    const invalid = await stage.explorer.send('Spaces-createSpace', { body: { space: { name: ' ', emoji: 'x' } } });
    expect(invalid).toEqual({ status: '422', text: expect.stringContaining('"code": "validation_failed"') });
    for (const message of ['Must not be blank', 'Must be exactly one emoji']) {
      expect(invalid.text).toContain(`"message": "${message}"`);
    }
  });

  it('keeps the token over a reload, until it is told to forget it', async () => {
    await stage.open();
    await stage.explorer.authorize(stage.ann.token);
    await stage.explorer.reload();
    expect((await stage.explorer.send('Tags-listTags')).status).toBe('200');
    await stage.explorer.page.locator('button.authorize').first().click();
    await stage.explorer.page.getByRole('button', { name: 'Logout' }).click();
    await stage.explorer.page.locator('.auth-btn-wrapper .btn-done').click();
    await stage.explorer.reload();
    expect((await stage.explorer.send('Tags-listTags')).status).toBe('401');
  });

  it('opens the operation that an address names', async () => {
    await stage.open();
    await stage.explorer.page.goto(`${stage.app.url}/docs#/Spaces/createSpace`);
    await stage.explorer.page.reload();
    await stage.explorer.operation('Spaces-createSpace').locator('textarea').waitFor();
  });
});

describe('below a path of another server', () => {
  it('works as it does at the root', async () => {
    const proxy = await startProxy('/team/wins');
    const service = await workshop.serve({ DATABASE_URL: process.env.TEST_DATABASE_URL, PUBLIC_URL: proxy.url });
    proxy.forwardTo(service.url);
    try {
      await stage.open({}, proxy.url);
      await stage.explorer.authorize(stage.ann.token);
      const made = await stage.explorer.send('Tags-createTag');
      expect(made.status).toBe('201');
      expect(made.text).toContain(`location: ${proxy.url}/api/v1/tags/`);
      await stage.explorer.page.goto(`${proxy.url}/docs/`);
      expect(stage.explorer.page.url()).toBe(`${proxy.url}/docs`);
      expect(stage.explorer.requests.filter(({ href }) => !href.startsWith(`${proxy.url}/`))).toEqual([]);
      expect(stage.explorer.complaints).toEqual([]);
    } finally {
      await proxy.close();
    }
  });
});
