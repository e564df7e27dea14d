import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { AuthService } from '../src/auth/auth.service.js';
import { TokensRepository } from '../src/auth/tokens.repository.js';
import { UsersRepository } from '../src/auth/users.repository.js';
import { loadConfig } from '../src/config/config.js';
import { openDatabase } from '../src/database/database.js';
import { startEmbedded } from '../src/database/embedded.js';
import { Sql } from '../src/database/sql.js';
import { WinQuery } from '../src/wins/dto/win-query.js';
import { WinsRepository } from '../src/wins/wins.repository.js';
import { Service } from '../test/harness/processes.js';
import { COMMON_WORD, FREQUENT_TAG, load, RARE_TAG, RARE_WORD, WINS, type Account } from './large-account.js';

/**
 * Measures an account with a million wins in one space, on an embedded server of its own: the lists of tags and spaces
 * against those of an account with 10 wins, the plans of the lists of wins, and the deletion of the space against the
 * same SQL by hand. docs/large-accounts.md has the last results. Takes about ten minutes and 5 GB in the temp folder.
 */

const LIST_ROUNDS = 300;
const DELETE_ROUNDS = 2;
const MAX_DELETE_RATIO = 1.5;
const MAX_LIST_RATIO = 1.15;

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const databaseUrl = (url: string, name: string) => Object.assign(new URL(url), { pathname: name }).href;

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Makes the schema, the accounts and a token for each of both. */
async function prepare(url: string) {
  const database = await openDatabase({ ...loadConfig({ DATABASE_URL: url }), DATABASE_POOL_SIZE: 1 });
  const took = await timed(async () => (accounts = await withClient(url, load)));
  console.log(`${WINS} wins loaded in ${Math.round(took / 1000)} s`);
  const sql = new Sql(database.dataSource);
  const auth = new AuthService(new UsersRepository(sql), new TokensRepository(sql));
  const tokenOf = async ({ userId }: Account) =>
    (await auth.issueToken({ userId }, { name: 'Bench', scope: 'write', expiresAt: null })).token;
  const tokens = { large: await tokenOf(accounts!.large), small: await tokenOf(accounts!.small) };
  await database.close();
  return { ...accounts!, tokens };
}
let accounts: Awaited<ReturnType<typeof load>> | undefined;

async function call(url: string, token: string, method = 'GET'): Promise<void> {
  const answer = await fetch(url, { method, headers: { authorization: `Bearer ${token}` } });
  await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status}`);
}

/** @returns how many times longer a list takes for the large account, at worst */
async function compareLists(url: string, tokens: { large: string; small: string }): Promise<number> {
  const server = await Service.start(url, { LOG_LEVEL: 'info' });
  const rows = [];
  for (const list of ['tags', 'spaces']) {
    const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
    for (let round = 0; round < LIST_ROUNDS; round++) {
      for (const size of round % 2 ? (['small', 'large'] as const) : (['large', 'small'] as const)) {
        times[size].push(await timed(() => call(`${server.url}/api/v1/${list}`, tokens[size])));
      }
    }
    const [small, large] = [median(times.small), median(times.large)];
    rows.push({
      list,
      '10 wins, ms': small.toFixed(2),
      [`${WINS} wins, ms`]: large.toFixed(2),
      ratio: +(large / small).toFixed(3),
    });
  }
  await server.stop();
  console.table(rows);
  return Math.max(...rows.map(({ ratio }) => ratio));
}

/** The text and values of a list's one query. */
async function queryOf(account: Account, filters: Partial<WinQuery>) {
  let query = { text: '', values: [] as readonly unknown[] };
  const capture = {
    one: (text: string, values: readonly unknown[]) => {
      query = { text, values };
      return Promise.resolve({ total: 0, json: '[]' });
    },
  };
  const sql = { sharedLong: () => capture, heavy: () => capture };
  const repository: WinsRepository = Reflect.construct(WinsRepository, [sql]);
  await repository.list(account, Object.assign(new WinQuery(), filters));
  return query;
}

/** How a plan gets at the matches: each scan of wins and links before those of what is shown of them. */
function accessOf(plan: string[]): string {
  return plan
    .slice(
      0,
      plan.findIndex((line) => line.includes(' on wins item ')),
    )
    .filter((line) => / on (wins|win_tags|idx_win)/.test(line) && !/never executed|Subquery Scan/.test(line))
    .map((line) => line.replace(/^[\s>-]*/, '').replace(/ +\(cost.*?\) \(actual (.*)\)/, ' ($1)'))
    .join('; ');
}

async function explainLists(url: string, large: Account): Promise<void> {
  const month = { since: '2020-01-01', until: '2020-01-31' };
  const kinds: [string, Partial<WinQuery>][] = [
    ['no filter', {}],
    ['page 20,000', { page: 20_000 }],
    ['space', { space_id: [large.spaceId] }],
    ['tag on a third', { tag: [FREQUENT_TAG] }],
    ['tag on 10', { tag: [RARE_TAG] }],
    ['one month', month],
    ['since, nearly all', { since: '2017-06-01' }],
    ['space, one month', { space_id: [large.spaceId], ...month }],
    ['tag on a third, one month', { tag: [FREQUENT_TAG], ...month }],
    ['tag on a third, space', { tag: [FREQUENT_TAG], space_id: [large.spaceId] }],
    ['word in 10 bodies', { q: RARE_WORD }],
    ['word in all bodies', { q: COMMON_WORD }],
    ['both words', { q: `${COMMON_WORD} ${RARE_WORD}` }],
    ['two letters', { q: RARE_WORD.slice(0, 2) }],
    ['rare word, space', { q: RARE_WORD, space_id: [large.spaceId] }],
    ['rare word, tag on a third', { q: RARE_WORD, tag: [FREQUENT_TAG] }],
  ];
  await withClient(url, async (client) => {
    const rows = [];
    for (const [kind, filters] of kinds) {
      const { text, values } = await queryOf(large, filters);
      const literals = values.map((value) =>
        Array.isArray(value)
          ? `array[${value.map((word) => client.escapeLiteral(word)).join()}]::text[]`
          : typeof value === 'string'
            ? client.escapeLiteral(value)
            : JSON.stringify(value),
      );
      await client.query(`prepare list as ${text}`);
      const row: Record<string, string> = { kind };
      for (const mode of ['custom', 'generic']) {
        await client.query(`set plan_cache_mode = force_${mode}_plan`);
        const explain = async () =>
          (
            await client.query<{ 'QUERY PLAN': string }>(
              `explain (analyze, buffers, timing off) execute list(${literals.join()})`,
            )
          ).rows.map((line) => line['QUERY PLAN']);
        await explain(); // from then on what is read is in memory, as far as it fits
        const plan = await explain();
        row[`${mode}, ms`] = /Execution Time: ([\d.]+)/.exec(plan.at(-1)!)![1]!;
        const [, hit = '0', , read = '0'] = /hit=(\d+)( read=(\d+))?/.exec(
          plan.find((line) => line.includes('Buffers'))!,
        )!;
        row[`${mode}, pages`] = String(Number(hit) + Number(read));
        row[mode] = accessOf(plan);
      }
      await client.query('deallocate list');
      rows.push(row);
    }
    console.table(rows, ['kind', 'custom, ms', 'custom, pages', 'generic, ms', 'generic, pages']);
    for (const { kind, custom, generic } of rows) {
      console.log(`${kind}:\n  ${custom}${generic === custom ? '' : `\n  generic: ${generic}`}`);
    }
  });
}

/** What someone would type to delete a space, if it is to be done by the set. */
const byHand = ({ userId, spaceId }: Account) => [
  'begin',
  `select from users where id = ${userId} for no key update`,
  `delete from win_tags using wins where wins.user_id = ${userId} and wins.space_id = ${spaceId}
     and win_tags.user_id = ${userId} and win_tags.win_id = wins.id`,
  `delete from wins where user_id = ${userId} and space_id = ${spaceId}`,
  `delete from spaces where user_id = ${userId} and id = ${spaceId}`,
  'commit',
];

/** Each trial has a fresh copy of the database. @returns how many times longer the API takes than SQL by hand */
async function compareDeletes(url: string, large: Account, token: string): Promise<number> {
  const ways = {
    'by hand': (copy: string) =>
      withClient(copy, (client) =>
        timed(async () => {
          for (const statement of byHand(large)) await client.query(statement);
        }),
      ),
    API: async (copy: string) => {
      const server = await Service.start(copy);
      const took = await timed(() => call(`${server.url}/api/v1/spaces/${large.spaceId}`, token, 'DELETE'));
      await server.stop();
      return took;
    },
    'by hand, without fk_win_tags_win_id': (copy: string) =>
      withClient(copy, async (client) => {
        await client.query('alter table win_tags drop constraint fk_win_tags_win_id');
        return timed(async () => {
          for (const statement of byHand(large)) await client.query(statement);
        });
      }),
  };
  const times = new Map(Object.keys(ways).map((way) => [way, [] as number[]]));
  await withClient(databaseUrl(url, 'template1'), async (admin) => {
    for (let round = 0; round < DELETE_ROUNDS; round++) {
      const order = Object.entries(ways);
      for (const [way, run] of round % 2 ? order.toReversed() : order) {
        await admin.query(`create database copy template postgres strategy file_copy`);
        await admin.query('checkpoint');
        times.get(way)!.push(await run(databaseUrl(url, 'copy')));
        await admin.query('drop database copy with (force)');
      }
    }
  });
  console.table(
    [...times].map(([way, list]) => ({ way, seconds: list.map((ms) => (ms / 1000).toFixed(1)).join(', ') })),
  );
  const total = (way: string) => times.get(way)!.reduce((sum, ms) => sum + ms, 0);
  return total('API') / total('by hand');
}

const folder = await mkdtemp(join(tmpdir(), 'large-space-'));
const embedded = await startEmbedded(folder);
try {
  const { large, tokens } = await prepare(embedded.url);
  const listRatio = await compareLists(embedded.url, tokens);
  await explainLists(embedded.url, large);
  const deleteRatio = await compareDeletes(embedded.url, large, tokens.large);
  console.log(`Lists: at most ${listRatio.toFixed(2)} times as long (allowed ${MAX_LIST_RATIO})`);
  console.log(`Delete: ${deleteRatio.toFixed(2)} times as long as by hand (allowed ${MAX_DELETE_RATIO})`);
  if (listRatio > MAX_LIST_RATIO || deleteRatio > MAX_DELETE_RATIO) process.exitCode = 1;
} finally {
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}
