import type { Win } from '../../src/wins/dto/win.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';
import { until } from '../harness/until.js';

/** What people read off their wins: counts, and files. */

let app: TestApp;
let ann: Person;
let api: Client;
let work: number;
let home: number;

const WINS = '/api/v1/wins';

const space = async (name: string, emoji: string | null = null) =>
  (await api.post<{ id: number }>('/api/v1/spaces', { space: { name, emoji } })).body.id;

async function win(body: string, occurred_on: string, tag_names: string[] = [], space_id = work): Promise<Win> {
  const answer = await api.post<Win>(WINS, { win: { body, space_id, occurred_on, tag_names } });
  expect(answer.status).toBe(201);
  return answer.body;
}

interface Count {
  key: string | { id: number; name: string };
  wins_count: number;
}

/** Each count as `2026-03 12`. */
const counts = async (query: string) =>
  (await api.get<Count[]>(`${WINS}/summary?${query}`)).body.map(
    ({ key, wins_count }) => `${typeof key === 'string' ? key : key.name} ${wins_count}`,
  );

const exported = async (query: string) => {
  const answer = await api.get<string>(`${WINS}/export?${query}`);
  expect([query, answer.status]).toEqual([query, 200]);
  return answer;
};

/** Begins to read a file. @returns the response, whose body nobody reads, and what goes away */
async function begin() {
  const client = new AbortController();
  const response = await fetch(`${app.url}${WINS}/export?format=ndjson`, {
    headers: { authorization: `Bearer ${ann.token}` },
    signal: client.signal,
  });
  return { response, leave: () => client.abort() };
}

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
  api = app.as(ann);
  [work, home] = [await space('Work', '💼'), await space('Home')];
});

describe('GET /api/v1/wins/summary', () => {
  it('counts by periods, newest first', async () => {
    for (const day of ['2025-12-29', '2026-01-01', '2026-01-05', '2026-03-14', '2026-03-14', '2027-01-03'])
      await win('x', day);
    expect(await counts('by=day')).toEqual([
      '2027-01-03 1',
      '2026-03-14 2',
      '2026-01-05 1',
      '2026-01-01 1',
      '2025-12-29 1',
    ]);
    expect(await counts('by=week')).toEqual(['2026-W53 1', '2026-W11 2', '2026-W02 1', '2026-W01 2']);
    expect(await counts('by=month')).toEqual(['2027-01 1', '2026-03 2', '2026-01 2', '2025-12 1']);
    expect(await counts('by=year')).toEqual(['2027 1', '2026 4', '2025 1']);
    expect(await counts('by=month&since=2026-01-02&until=2026-12-31')).toEqual(['2026-03 2', '2026-01 1']);
  });

  it('counts the first and the last day that there is', async () => {
    for (const day of ['0001-01-01', '9999-12-31']) await win('x', day);
    expect(await counts('by=day')).toEqual(['9999-12-31 1', '0001-01-01 1']);
    expect(await counts('by=week')).toEqual(['9999-W52 1', '0001-W01 1']);
    expect(await counts('by=year')).toEqual(['9999 1', '0001 1']);
  });

  it('counts by spaces and tags, largest first', async () => {
    await win('a', '2026-01-01', ['Red', 'Blue']);
    await win('b', '2026-01-02', ['Red']);
    await win('c', '2026-01-03', ['Blue', 'Red', 'Green'], home);
    await api.post('/api/v1/tags', { tag: { name: 'Unused' } });
    expect((await api.get(`${WINS}/summary?by=space`)).body).toEqual([
      { key: { id: work, name: 'Work' }, wins_count: 2 },
      { key: { id: home, name: 'Home' }, wins_count: 1 },
    ]);
    expect(await counts('by=tag')).toEqual(['Red 3', 'Blue 2', 'Green 1']);
    expect(await counts(`by=tag&space_id=${work}`)).toEqual(['Red 2', 'Blue 1']);
    expect(await counts('by=space&tag=blue')).toEqual(['Home 1', 'Work 1']);
    expect(await counts('by=space&untagged=true')).toEqual([]);
    expect(await counts('by=tag&q=c')).toEqual(['Blue 1', 'Green 1', 'Red 1']);
  });

  it('counts under every filter what the list has', async () => {
    for (let n = 0; n < 20; n++) {
      const tags = [['Red', 'Blue'], ['Red'], []][n % 3]!;
      await win(`${n} ${n % 4 === 0 ? 'word' : 'ö'}`, `2026-0${1 + (n % 5)}-01`, tags, n % 2 === 0 ? work : home);
    }
    const filters = [
      '', `space_id=${work}`, `space_id=${work}&space_id=${home}`, 'tag=red', 'tag=red&tag=blue', 'untagged=true',
      'since=2026-02-01', 'q=word', 'q=ö', 'q=word&tag=red', `tag=red&space_id=${home}&q=ö`, 'until=2026-03-01&q=word',
    ]; // prettier-ignore
    for (const filter of filters) {
      const { body: list } = await api.get<Win[]>(`${WINS}?per_page=100&${filter}`);
      const expected = (keysOf: (one: Win) => string[]) => {
        const found = new Map<string, number>();
        for (const key of list.flatMap(keysOf)) found.set(key, (found.get(key) ?? 0) + 1);
        return Array.from(found, ([key, count]) => `${key} ${count}`).toSorted();
      };
      const real = async (by: string) => (await counts(`by=${by}&${filter}`)).toSorted();
      expect([filter, await real('month')]).toEqual([filter, expected((one) => [one.occurred_on.slice(0, 7)])]);
      expect([filter, await real('space')]).toEqual([filter, expected((one) => [one.space.name])]);
      expect([filter, await real('tag')]).toEqual([filter, expected((one) => one.tags.map(({ name }) => name))]);
      expect(list.length).toBeGreaterThan(0);
    }
  });

  it('has to be told by what', async () => {
    expect(await api.get(`${WINS}/summary`)).toMatchObject({
      status: 422,
      body: { details: [{ field: 'by', code: 'required' }] },
    });
    expect((await api.get(`${WINS}/summary?by=hour`)).status).toBe(422);
    expect((await api.get(`${WINS}/summary?by=day&since=today`)).status).toBe(422);
  });

  it('answers 304 while nothing has changed', async () => {
    await win('x', '2026-01-01', ['Red']);
    const first = await api.get(`${WINS}/summary?by=tag`);
    const headers = { 'if-none-match': first.headers.get('etag')! };
    expect((await api.get(`${WINS}/summary?by=tag`, { headers })).status).toBe(304);
    await win('y', '2026-01-01', ['Red']);
    expect((await api.get(`${WINS}/summary?by=tag`, { headers })).status).toBe(200);
  });
});

describe('GET /api/v1/wins/export', () => {
  it('writes Markdown by space and month, newest first', async () => {
    await win('Shipped the **new** onboarding', '2026-03-14', ['Launch', 'Customers']);
    await win('Older', '2026-03-01');
    await win('Oldest', '2025-12-31');
    await win('First line\r\n\r\n```\ncode\n```\n', '2026-02-01', ['Code'], home);
    const { body, headers } = await exported('format=markdown');
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="wins.md"');
    expect(body).toBe(
      [
        '# Wins', '',
        '## 💼 Work', '',
        '### March 2026', '',
        '- **2026-03-14** Shipped the **new** onboarding _(Customers, Launch)_',
        '- **2026-03-01** Older', '',
        '### December 2025', '',
        '- **2025-12-31** Oldest', '',
        '## Home', '',
        '### February 2026', '',
        '- **2026-02-01** _(Code)_', '', '  First line', '', '  ```', '  code', '  ```', '', '',
      ].join('\n'),
    ); // prettier-ignore
  });

  it('writes CSV that a spreadsheet takes for text', async () => {
    const dangerous = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '=cmd|"/c calc"!A1', 'say "hi", all'];
    for (const [n, body] of dangerous.entries()) await win(body, `2026-01-0${n + 1}`, n === 0 ? ['=Tag', 'b'] : []);
    const { body, headers } = await exported('format=csv');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="wins.csv"');
    const [head, ...lines] = body.split('\r\n');
    expect(head).toBe('\uFEFFid,occurred_on,space,body,tags,created_at,updated_at');
    expect(lines.pop()).toBe('');
    const cells = lines.map((line) => /^\d+,(\d{4}-\d\d-\d\d),Work,(.*),[^,]*Z,[^,]*Z$/.exec(line)!.slice(1));
    expect(cells).toEqual([
      ['2026-01-07', '"say ""hi"", all",'],
      ['2026-01-06', '"\'=cmd|""/c calc""!A1",'],
      ['2026-01-05', "'\t=1,"],
      ['2026-01-04', "'@SUM(A1),"],
      ['2026-01-03', "'-1,"],
      ['2026-01-02', "'+1,"],
      ['2026-01-01', '\'=1+1,"\'=Tag, b"'],
    ]);
  });

  it('writes the resources of the list as NDJSON, through many pages', async () => {
    await app.make.wins(ann, work, { count: 250 });
    const { body, headers } = await exported('format=ndjson');
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const lines = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Win);
    const pages = await Promise.all(
      [1, 2, 3].map(async (page) => (await api.get<Win[]>(`${WINS}?per_page=100&page=${page}`)).body),
    );
    expect(lines).toEqual(pages.flat());
  });

  it('takes the filters of the list', async () => {
    await win('one word', '2026-01-01', ['Red']);
    await win('other', '2026-01-02', ['Red'], home);
    await win('none', '2026-01-03');
    const found = async (query: string) =>
      (await exported(`format=ndjson&${query}`)).body
        .trimEnd()
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as Win).body);
    expect(await found('tag=red')).toEqual(['other', 'one word']);
    expect(await found(`tag=red&space_id=${home}`)).toEqual(['other']);
    expect(await found('q=word')).toEqual(['one word']);
    expect(await found('since=2026-01-02&untagged=true')).toEqual(['none']);
    expect((await exported(`format=markdown&tag=red&space_id=${home}`)).body).not.toContain('Work');
    expect((await exported('format=markdown&q=nothing')).body).toBe('# Wins\n\nNone.\n');
    expect((await exported('format=ndjson&q=nothing')).text).toBe('');
    expect((await exported('format=csv&q=nothing')).body.split('\r\n')).toHaveLength(2);
  });

  it('has to be told the format, and refuses filters that are none', async () => {
    expect(await api.get(`${WINS}/export`)).toMatchObject({
      status: 422,
      body: { details: [{ field: 'format', code: 'required' }] },
    });
    expect((await api.get(`${WINS}/export?format=pdf`)).status).toBe(422);
    expect((await api.get(`${WINS}/export?format=csv&until=never`)).status).toBe(422);
  });

  it('has an ETag, and answers 304 while nothing has changed', async () => {
    await win('x', '2026-01-01');
    const first = await exported('format=csv');
    const headers = { 'if-none-match': first.headers.get('etag')! };
    const again = await api.get(`${WINS}/export?format=csv`, { headers });
    expect([again.status, again.headers.get('etag')]).toEqual([304, headers['if-none-match']]);
    expect((await api.request('HEAD', `${WINS}/export?format=csv`)).headers.get('etag')).toBe(headers['if-none-match']);
    await win('y', '2026-01-01');
    expect((await api.get(`${WINS}/export?format=csv`, { headers })).status).toBe(200);
  });

  describe('of 10 MB', () => {
    beforeEach(async () => {
      await app.dataSource.query(
        `insert into wins (user_id, space_id, body, occurred_on)
         select $1, $2, repeat('x', 10000), '2026-01-31' from generate_series(1, 1000)`,
        [ann.id, work],
      );
    });

    it('is read by two at a time, until they have it or go away', async () => {
      const [first, second] = [await begin(), await begin()];
      expect([first.response.status, second.response.status]).toEqual([200, 200]);
      const third = await api.get(`${WINS}/export?format=ndjson`);
      expect(third).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
      expect(third.headers.get('retry-after')).toBe('5');

      first.leave();
      let fourth = await begin();
      await until(async () => {
        if (fourth.response.status === 429) fourth = await begin();
        return fourth.response.status === 200;
      });

      expect((await second.response.text()).split('\n')).toHaveLength(1_001);
      expect((await fourth.response.text()).split('\n')).toHaveLength(1_001);
    });
  });
});
