import { createClient, type Client } from '../../client/src/index.js';
import { startApp, type TestApp } from '../harness/app.js';

/**
 * PostgreSQL plans a prepared statement anew five times and then, where it costs no more, once and for all. Only then can
 * Citus lose sight of the user, and ask every machine. The sweep at the end of the run tells of such statements.
 */
const TIMES = 8;

let app: TestApp;
let wins: Client;
beforeAll(async () => {
  app = await startApp({ DATABASE_POOL_SIZE: '1' });
  wins = createClient({ baseUrl: app.url, token: (await app.make.person({ plan: 'pro' })).token });
});
afterAll(() => app.close());

/** What is done each time, and what is left in the end. */
const OPERATIONS: [string, object, (n: number) => Promise<unknown>][] = [
  [
    'spaces',
    { total: 0 },
    async (n) => {
      const [first, second] = await Promise.all(
        ['First', 'Second'].map((name) => wins.createSpace({ space: { name: `${name} ${n}` } })),
      );
      const { items } = await wins.listSpaces({ per_page: 100 });
      await wins.orderSpaces({ order: { space_ids: items.map(({ id }) => id).toReversed() } });
      await wins.updateSpace({ id: first!.id, space: { emoji: '🚀', position: 1 } });
      await wins.createWin({ win: { body: 'Done', space_id: first!.id } });
      await wins.deleteSpace({ id: first!.id, move_wins_to: second!.id });
      await wins.getSpace({ id: second!.id });
      await wins.deleteSpace({ id: second!.id });
      return wins.listSpaces();
    },
  ],
  [
    'tags',
    { deleted: 1 },
    async (n) => {
      const { id } = await wins.createTag({ tag: { name: `First ${n}` } });
      await wins.renameTag({ id, tag: { name: `Renamed ${n}` } });
      const other = await wins.createTag({ tag: { name: `Second ${n}` } });
      await wins.mergeTag({ id: other.id, tag: { into_id: id } });
      await wins.getTag({ id });
      await wins.listTags({ q: 'ren', sort: '-wins_count' });
      await wins.listTags({ used: 'false' });
      const third = await wins.createTag({ tag: { name: `Third ${n}` } });
      await wins.deleteTag({ id: third.id });
      return wins.deleteUnusedTags({ used: 'false' });
    },
  ],
  [
    'wins',
    { wins: [], has_more: false },
    async (n) => {
      const space = await wins.createSpace({ space: { name: `Work ${n}` } });
      const win = { body: 'Größe 100% & mehr', space_id: space.id, tag_names: ['Launch', `New ${n}`] };
      const { id } = await wins.createWin({ win });
      await wins.updateWin({ id, win: { body: 'Changed' } });
      await wins.updateWin({ id, win: { add_tag_names: [`Added ${n}`], remove_tag_names: ['Launch'] } });
      await wins.updateWin({ id, win: { tag_names: [] } });
      const { created } = await wins.batchWins({ batch: { create: [win, win] } });
      await wins.batchWins({
        batch: {
          update: created.map((one) => ({ id: one.id, body: 'Other', add_tag_names: [`More ${n}`] })),
          delete: [id],
        },
      });
      await wins.listWins({ q: 'other', tag: 'launch', space_id: space.id, sort: '-created_at' });
      for await (const { id: found } of wins.listWins({ untagged: 'true' })) expect(found).toBeGreaterThan(0);
      await wins.summarizeWins({ by: 'tag' });
      await wins.summarizeWins({ by: 'month' });
      await (await wins.exportWins({ format: 'csv' })).text();
      await wins.getWin({ id: created[0]!.id });
      await wins.deleteWin({ id: created[0]!.id });
      await wins.deleteSpace({ id: space.id });
      const { next } = await wins.listChanges();
      return wins.listChanges({ since: next });
    },
  ],
  [
    'an account',
    { total: 1 },
    async (n) => {
      await wins.getMe();
      const { id } = await wins.createToken({ token: { name: `Laptop ${n}` } });
      await wins.getToken({ id });
      await wins.revokeToken({ id });
      return wins.listTokens();
    },
  ],
];

it.each(OPERATIONS)('The statements of %s can be planned for good', async (_, left, operations) => {
  for (let n = 0; n < TIMES; n++) expect(await operations(n)).toMatchObject(left);
});
