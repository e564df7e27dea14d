import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/database/database.js';
import { Sql } from '../../src/database/sql.js';
import { fillWithDemo } from '../../src/demo/fill.js';
import { findDemoToken } from '../../src/demo/token.js';
import { startApp, type TestApp } from '../harness/app.js';
import { Client } from '../harness/client.js';
import { Factory, type Person } from '../harness/factories.js';
import { createDatabase } from '../harness/fresh-database.js';
import { Service } from '../harness/processes.js';

interface Win {
  id: number;
  body: string;
  occurred_on: string;
  space: { name: string; emoji: string | null };
  tags: { name: string }[];
}

interface Counted {
  name: string;
  wins_count: number;
}

let app: TestApp;
let ann: Person;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
});

/** Everything an account has, as the API tells it. */
async function everything(person: Person) {
  const lists = ['/api/v1/spaces', '/api/v1/tags', '/api/v1/wins'];
  const [spaces, tags, wins] = await Promise.all(lists.map((list) => app.as(person).get(`${list}?per_page=100`)));
  return { spaces: spaces!.body as Counted[], tags: tags!.body as Counted[], wins: wins!.body as Win[] };
}

const sql = () => app.app.get(Sql);

const run = promisify(execFile);
const demo = (...options: string[]) =>
  run(process.execPath, ['dist/cli.js', 'demo', ...options], {
    env: { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'test', DATABASE_URL: process.env.TEST_DATABASE_URL },
  });

describe('the command demo', () => {
  it('fills an empty account of the free plan with months of wins up to today, and changes nothing when run again', async () => {
    const before = new Date().toISOString().slice(0, 10);
    const { stdout } = await demo('--email', ann.email);
    expect(stdout).toBe(`Created 54 wins for ${ann.email}.\n`);
    const { spaces, tags, wins } = await everything(ann);

    expect(spaces.map(({ name }) => name)).toEqual(['Work', 'Growth', 'Life']);
    expect(spaces.reduce((sum, { wins_count }) => sum + wins_count, 0)).toBe(54);
    expect(tags.length).toBeGreaterThanOrEqual(10);
    expect(tags.every(({ wins_count }) => wins_count > 1)).toBe(true);
    expect(wins).toHaveLength(54);
    expect([before, new Date().toISOString().slice(0, 10)]).toContain(wins[0]!.occurred_on);
    const span = Date.parse(wins[0]!.occurred_on) - Date.parse(wins.at(-1)!.occurred_on);
    expect(span).toBeGreaterThan(90 * 24 * 60 * 60 * 1000);
    expect(wins.map(({ id }) => id)).toEqual(wins.map(({ id }) => id).toSorted((a, b) => b - a));

    const again = await demo('--email', ann.email);
    expect(again.stdout).toBe(`Created nothing: ${ann.email} already has a win, space or tag.\n`);
    expect(await everything(ann)).toEqual({ spaces, tags, wins });
  });

  it('tells in its help which accounts it leaves alone', async () => {
    expect((await demo('--help')).stdout.replace(/\s+/g, ' ')).toContain('unless it already has a win, space or tag');
  });

  it('says in one line that nobody has the email', async () => {
    await expect(demo('--email', 'nobody@example.com')).rejects.toMatchObject({
      code: 1,
      stderr: 'User nobody@example.com not found\n',
    });
  });
});

describe('filling an account', () => {
  it('leaves one with a single space, or a single tag, as it is', async () => {
    const bob = await app.make.person();
    await app.as(ann).post('/api/v1/spaces', { space: { name: 'Mine' } });
    await app.as(bob).post('/api/v1/tags', { tag: { name: 'Mine' } });
    expect(await fillWithDemo(sql(), ann.id)).toBe(0);
    expect(await fillWithDemo(sql(), bob.id)).toBe(0);
    expect(await everything(ann)).toMatchObject({ spaces: [{ name: 'Mine' }], tags: [], wins: [] });
    expect(await everything(bob)).toMatchObject({ spaces: [], tags: [{ name: 'Mine' }], wins: [] });
  });

  it('happens once when it is asked for four times at once', async () => {
    const pro = await app.make.person({ plan: 'pro' });
    const counts = await Promise.all([1, 2, 3, 4].map(() => fillWithDemo(sql(), pro.id)));
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 54]);
    expect((await everything(pro)).spaces).toHaveLength(3);
  });

  it('leaves nothing behind where the plan allows fewer spaces', async () => {
    const plan = `tiny-${ann.id}`;
    await app.dataSource.query('insert into plans (name, max_spaces) values ($1, 2)', [plan]);
    const small = await app.make.person({ plan });
    await expect(fillWithDemo(sql(), small.id)).rejects.toThrow('the plan allows no further space');
    expect(await everything(small)).toEqual({ spaces: [], tags: [], wins: [] });
  });
});

describe('the demo user of the embedded database', () => {
  it('has wins from the first start on, and later starts change nothing', async () => {
    const database = await createDatabase();
    const { dataSource, close } = await openDatabase(loadConfig({ DATABASE_URL: database.url }));
    const server = await Service.start(database.url);
    const folder = await mkdtemp(join(tmpdir(), 'wins-demo-'));
    try {
      const find = () => findDemoToken(new Factory(dataSource).auth, new Sql(dataSource), folder);
      const token = await find();
      const api = new Client(server.url, token);
      const wins = await api.get<Win[]>('/api/v1/wins');
      expect(wins.headers.get('x-total-count')).toBe('54');

      await api.delete(`/api/v1/wins/${wins.body[0]!.id}`);
      expect(await find()).toBe(token);
      expect((await api.get('/api/v1/wins')).headers.get('x-total-count')).toBe('53');
    } finally {
      await server.stop();
      await close();
      await database.drop();
      await rm(folder, { recursive: true });
    }
  });
});
