import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import { CLUSTER } from '../harness/cluster.js';
import { createDatabase, type FreshDatabase } from '../harness/fresh-database.js';

/** Under the plans that PostgreSQL makes for given values, and for all values. */

interface Win {
  id: number;
  body: string;
  occurred_on: string;
  space: { id: number };
  tags: { name: string }[];
}

const WINS = '/api/v1/wins';

/** Every combination of these is asked for. */
const FILTERS: [string, (win: Win) => boolean][] = [
  ['space=Home', (win) => win.body.includes('home')],
  ['tag=EVEN', (win) => win.tags.some(({ name }) => name === 'Even')],
  ['tag=all', (win) => win.tags.some(({ name }) => name === 'All')],
  ['untagged=false', (win) => win.tags.length > 0],
  ['untagged=true', (win) => win.tags.length === 0],
  ['since=2026-01-03', (win) => win.occurred_on >= '2026-01-03'],
  ['until=2026-01-06', (win) => win.occurred_on <= '2026-01-06'],
  ['q=word', (win) => win.body.includes('word')],
  ['q=ö', (win) => win.body.includes('ö')],
  ['q=a+word+ö', (win) => win.body.includes('a word') && win.body.includes('ö')],
];

const COMBINATIONS = Array.from({ length: 2 ** FILTERS.length }, (_, chosen) =>
  FILTERS.filter((__, index) => chosen & (2 ** index)),
).filter((used) => ['q=', 'untagged='].every((start) => used.filter(([text]) => text.startsWith(start)).length <= 1));

const createSpace = async (api: Client, name: string) =>
  (await api.post<{ id: number }>('/api/v1/spaces', { space: { name } })).body.id;

/** On a cluster, a plan has to know the user. */
const MODES = CLUSTER === undefined ? ['force_custom_plan', 'force_generic_plan'] : ['force_custom_plan'];

describe.each(MODES)('GET /api/v1/wins with plan_cache_mode = %s', (mode) => {
  let database: FreshDatabase;
  let app: TestApp;

  beforeAll(async () => {
    database = await createDatabase({ plan_cache_mode: mode });
    app = await startApp({ DATABASE_URL: database.url });
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  it('finds with any filters joined what each of them allows', async () => {
    const api = app.as(await app.make.person());
    const [work, home] = [await createSpace(api, 'Work'), await createSpace(api, 'Home')];
    for (let n = 0; n < 24; n++) {
      const isHome = n % 5 > 1;
      const win = {
        body: `${n} ${isHome ? 'home' : ''} ${n % 3 > 0 ? 'a word' : 'none'} ${n % 4 > 1 ? 'ö' : 'o'}`,
        space_id: isHome ? home : work,
        occurred_on: `2026-01-0${1 + (n % 8)}`,
        tag_names: [['Even', 'All'], ['All'], ['Even'], []][n % 4],
      };
      expect((await api.post(WINS, { win })).status).toBe(201);
    }
    const { body: everything } = await api.get<Win[]>(`${WINS}?per_page=100`);
    for (const used of COMBINATIONS) {
      const texts = used.map(([text]) => text.replace('space=Home', `space_id=${home}`));
      const query = `?${[...texts, 'per_page=4'].join('&')}`;
      const expected = everything.filter((win) => used.every(([, allows]) => allows(win)));
      const answer = await api.get<Win[]>(WINS + query);
      expect([query, answer.headers.get('x-total-count'), answer.body]).toEqual([
        query,
        String(expected.length),
        expected.slice(0, 4),
      ]);
    }
  });
});
