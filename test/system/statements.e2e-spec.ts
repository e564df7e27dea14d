import { startApp, type TestApp } from '../harness/app.js';

/** As many texts as there are ways to a list of wins, and a few for what the service does meanwhile. */
const MAX_TEXTS = 25;

/** Bytes by which a session of PostgreSQL may grow over searches of a thousand shapes. */
const MAX_GROWTH = 8 * 1024 * 1024;

const SHAPES = 1_000;

const WORDS = ['abc', 'ab', 'def', 'x%', 'zebra', 'é', '_', 'long words', 'a\\b'];

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ DATABASE_POOL_SIZE: '1' });
});
afterAll(() => app.close());

/** A query of its own for each number: which filters there are, and how many words of which kind. */
function queryOf(n: number): string {
  const query = new URLSearchParams();
  const count = n % 11;
  const words = Array.from({ length: count }, (_, place) => WORDS[(n >> (place % 8)) % WORDS.length]!);
  if (count > 0) query.set('q', words.join(' ').split(' ').slice(0, 10).join(' '));
  if (n & 1) query.set('since', '2020-01-01');
  if (n & 2) query.set('until', '2030-01-01');
  if (n & 4) query.set('tag', 'Launch');
  if (n & 8) query.set('space_id', '1');
  if (n & 16) query.set('page', '2');
  return String(query);
}

describe('The statements of the service', () => {
  it('are as many as the code has, whatever is searched for', async () => {
    const person = await app.make.person();
    const look = async () => {
      const [row] = await app.dataSource.query<[{ texts: number; bytes: number }]>(
        `select (select count(*)::int from pg_prepared_statements where statement like '%folded_body%' or statement like '%win_tags%') as texts,
           (select sum(total_bytes)::float8 from pg_backend_memory_contexts) as bytes`,
      );
      return row;
    };
    const search = async (from: number, to: number) => {
      for (let n = from; n < to; n++) {
        const { status } = await app.as(person).get(`/api/v1/wins?${queryOf(n)}`);
        expect([n, status]).toEqual([n, 200]);
      }
    };
    await search(0, 100);
    const before = await look();
    await search(100, SHAPES);
    const after = await look();
    expect(after.texts).toBeGreaterThan(3);
    expect(after.texts).toBeLessThan(MAX_TEXTS);
    expect(after.bytes - before.bytes).toBeLessThan(MAX_GROWTH);
  });
});
