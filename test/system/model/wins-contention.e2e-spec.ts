import * as fc from 'fast-check';
import { Client as Session, DatabaseError } from 'pg';
import { WAIT } from '../../../src/database/data-source.js';
import { CLUSTER, countWaits } from '../../harness/cluster.js';
import type { Answer, Client } from '../../harness/client.js';
import {
  body,
  choice,
  choose,
  day,
  must,
  operation,
  runClients,
  SEED,
  spelling,
  Stage,
} from '../../harness/programs.js';
import type { Counted, Win } from '../../harness/programs.js';
import { until } from '../../harness/until.js';

const CLIENTS = 8;
const OPERATIONS = 500;
const NAMES = ['Launch', 'Équipe', 'Größe', 'Team', 'Talk', 'zz'];

/** Of what is known, only this much is used, so that clients meet. */
const RECENT = 12;

/** Ids that were there at some time; what became of them since, nobody knows. All clients share the arrays. */
class Known {
  operations = 0;

  constructor(
    readonly wins: number[],
    readonly tags: number[],
    readonly spaces: number[],
  ) {}
}

const recent = (ids: number[], number: number) => (ids.length === 0 ? 1 : choose(ids.slice(-RECENT), number));

/** Who else is at work can make a request fail, but only in these ways. */
const ALLOWED = new Set([200, 201, 204, 404, 422]);

/** A 503 is right for who has waited this long, in milliseconds, as can happen on a machine that is busy with other things. */
const PATIENCE = WAIT - 100;

async function mustBeAllowed<T extends { id: number }>(sent: Promise<Answer<T>>, made: number[] = []): Promise<void> {
  const since = performance.now();
  const answer = await sent;
  if (answer.status === 503 && performance.now() - since > PATIENCE) return;
  if (!ALLOWED.has(answer.status)) throw new Error(`${answer.status}: ${answer.text}`);
  if (answer.status === 201) made.push(answer.body.id);
}

const anything = <Fields>(
  title: string,
  fields: fc.Arbitrary<Fields>,
  run: (api: Client, known: Known, fields: Fields) => Promise<void>,
) => operation<Known, Fields>(title, fields, () => true, run);

const name = fc.tuple(spelling, fc.constantFrom(...NAMES)).map(([spell, plain]) => spell(plain));
const names = fc.array(name, { maxLength: 5 });

const createWin = anything(
  'create win',
  fc.record({ body, occurred_on: day, space: choice, tag_names: names }),
  (api, known, { space, ...rest }) => {
    const win = { ...rest, space_id: recent(known.spaces, space) };
    return mustBeAllowed(api.post<Win>('/api/v1/wins', { win }), known.wins);
  },
);

const updateWin = anything(
  'update win',
  fc.record({ number: choice, body, occurred_on: day, space: choice, tag_names: names }, { requiredKeys: ['number'] }),
  (api, known, { number, space, ...rest }) => {
    const win = { ...rest, ...(space !== undefined && { space_id: recent(known.spaces, space) }) };
    return mustBeAllowed(api.patch<Win>(`/api/v1/wins/${recent(known.wins, number)}`, { win }));
  },
);

const deleteWin = anything('delete win', choice, (api, known, number) =>
  mustBeAllowed(api.delete<never>(`/api/v1/wins/${recent(known.wins, number)}`)),
);

const createTag = anything('create tag', name, (api, known, chosen) =>
  mustBeAllowed(api.post<Counted>('/api/v1/tags', { tag: { name: chosen } }), known.tags),
);

const renameTag = anything(
  'rename tag',
  fc.record({ number: choice, tag: fc.record({ name }) }),
  (api, known, fields) =>
    mustBeAllowed(api.patch<Counted>(`/api/v1/tags/${recent(known.tags, fields.number)}`, { tag: fields.tag })),
);

const deleteTag = anything('delete tag', choice, (api, known, number) =>
  mustBeAllowed(api.delete<never>(`/api/v1/tags/${recent(known.tags, number)}`)),
);

/** Tags also come into being by use; this is how the clients get to know their ids. */
const listTags = anything('list tags', fc.constant(null), async (api, known) => {
  const tags = must(200, await api.get<Counted[]>('/api/v1/tags'));
  known.tags.push(...tags.map(({ id }) => id).filter((id) => !known.tags.includes(id)));
});

const createSpace = anything('create space', fc.constant(null), (api, known) =>
  mustBeAllowed(api.post<Counted>('/api/v1/spaces', { space: { name: 'Shared' } }), known.spaces),
);

const updateSpace = anything(
  'update space',
  fc.record({ number: choice, space: fc.record({ position: fc.nat(5) }) }),
  (api, known, { number, space }) =>
    mustBeAllowed(api.patch<Counted>(`/api/v1/spaces/${recent(known.spaces, number)}`, { space })),
);

const deleteSpace = anything('delete space', choice, (api, known, number) =>
  mustBeAllowed(api.delete<never>(`/api/v1/spaces/${recent(known.spaces, number)}`)),
);

const COMMANDS = [
  [createWin, createWin, createWin, createWin, updateWin, updateWin, updateWin, updateWin, deleteWin],
  [createTag, renameTag, renameTag, deleteTag, listTags, createSpace, updateSpace, deleteSpace],
].flat();

/** What someone with `psql` may run: on several rows at once, in any order, without the user's row locked first. */
const OUTSIDE = [
  (user: number, wins: string, _: string, space: number) =>
    `update wins set space_id = ${space} where user_id = ${user} and id in (${wins})`,
  (user: number, wins: string) =>
    `update wins set occurred_on = occurred_on + 1 where user_id = ${user} and id in (${wins})`,
  (user: number, wins: string) => `delete from wins where user_id = ${user} and id in (${wins})`,
  (user: number, wins: string, _: string, space: number) =>
    `insert into wins (user_id, space_id, body, occurred_on)
     select ${user}, ${space}, 'From outside', '2026-03-01' from unnest(array[${wins}])`,
  (user: number, wins: string, tags: string) =>
    `insert into win_tags (user_id, win_id, tag_id, occurred_on)
     select user_id, wins.id, tags.id, occurred_on from wins join tags using (user_id)
     where user_id = ${user} and wins.id in (${wins}) and tags.id in (${tags}) on conflict do nothing`,
  (user: number, wins: string, tags: string) =>
    `delete from win_tags where user_id = ${user} and win_id in (${wins}) and tag_id in (${tags})`,
];

const list = (ids: number[], numbers: number[]) => numbers.map((number) => recent(ids, number)).join();

/** Why a transaction outside may be lost: a deadlock, or a row that is no more, for which Citus has another code. */
const LOST = new Set(['40P01', '23503']);
const GONE = /violates foreign key constraint/;

const some = fc.array(choice, { minLength: 1, maxLength: 4 });
const transaction = fc.array(
  fc.record({ statement: fc.constantFrom(...OUTSIDE), wins: some, tags: some, space: choice }),
  { minLength: 2, maxLength: 4 },
);

/** As one instance runs it, where a user's writes share two sessions; and as many do, where each has its own. */
const SETTINGS = [{ PREPARED_STATEMENTS: 'on' }, { PREPARED_STATEMENTS: 'off' }];

describe.each(SETTINGS)(
  '8 clients at once that do anything to the same wins, tags and spaces, with %j,',
  (settings) => {
    let stage: Stage;
    let clients: Known[];
    beforeEach(async () => {
      stage = await Stage.open(settings);
      const [wins, tags, spaces]: [number[], number[], number[]] = [[], [], [await stage.createSpace('First')]];
      clients = Array.from({ length: CLIENTS }, () => new Known(wins, tags, spaces));
    });
    afterEach(() => stage.close());

    it('never lock each other out, and the counts are right at every moment', async () => {
      await runClients(stage, COMMANDS, clients, OPERATIONS);
      await stage.checkCounts();
      expect(await stage.countDeadlocks()).toBe(0);
    }, 120_000);

    /** @returns how many transactions were committed until `ended` */
    async function writeOutside(seed: number, ended: AbortSignal): Promise<number> {
      const { wins, tags, spaces } = clients[0]!;
      const session = new Session({ connectionString: stage.database.url });
      await session.connect();
      let commits = 0;
      try {
        for (let round = 0; !ended.aborted; round++) {
          const [steps] = fc.sample(transaction, { seed: seed + round, numRuns: 1 });
          try {
            await session.query('begin');
            for (const step of steps!) {
              const { id } = stage.person;
              await session.query(
                step.statement(id, list(wins, step.wins), list(tags, step.tags), recent(spaces, step.space)),
              );
            }
            await session.query('commit');
            commits++;
          } catch (error) {
            await session.query('rollback');
            if (!(error instanceof DatabaseError && (LOST.has(error.code ?? '') || GONE.test(error.message))))
              throw error;
          }
        }
      } finally {
        await session.end();
      }
      return commits;
    }

    it('get no 5xx before the time is up, and right counts, beside two writers outside the service', async () => {
      const ended = new AbortController();
      const [, ...commits] = await Promise.all([
        runClients(stage, COMMANDS, clients, OPERATIONS).finally(() => ended.abort()),
        ...[1, 2].map((number) => writeOutside(SEED + number * 1_000_003, ended.signal)),
      ]);
      for (const count of commits) expect(count).toBeGreaterThan(10);
      await stage.checkCounts();
    }, 120_000);
  },
);

describe('requests that change wins, or what wins share', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
  });
  afterEach(() => stage.close());

  it("waits for its turn at the user's row, so that none can wait for another with rows in hand", async () => {
    const [space, old] = [await stage.createSpace('Work'), await stage.createSpace('Old')];
    const create = (tag: string, space_id = space) => ({ win: { body: 'x', space_id, tag_names: [tag] } });
    must(201, await stage.api.post<Win>('/api/v1/wins', create('a', old))); // an empty space waits for nobody
    const [win, doomed] = await Promise.all(
      ['a', 'b'].map(async (tag) => must(201, await stage.api.post<Win>('/api/v1/wins', create(tag)))),
    );
    const requests: [number, () => Promise<Answer>][] = [
      [201, () => stage.api.post('/api/v1/wins', create('c'))],
      [200, () => stage.api.patch(`/api/v1/wins/${win!.id}`, { win: { tag_names: ['d'] } })],
      [204, () => stage.api.delete(`/api/v1/wins/${doomed!.id}`)],
      [200, () => stage.api.patch(`/api/v1/tags/${win!.tags[0]!.id}`, { tag: { name: 'z' } })],
      [204, () => stage.api.delete(`/api/v1/tags/${doomed!.tags[0]!.id}`)],
      [201, () => stage.api.post('/api/v1/spaces', { space: { name: 'New' } })],
      [204, () => stage.api.delete(`/api/v1/spaces/${old}`)],
    ];
    for (const [status, send] of requests) {
      const holder = new Session({ connectionString: stage.database.url });
      await holder.connect();
      await holder.query(`begin; select from users where id = ${stage.person.id} for no key update`);
      const answer = send();
      const early: Answer[] = [];
      void answer.then((given) => early.push(given));
      await until(async () => early.length > 0 || (await countWaits((text) => stage.database.query(text))) > 0);
      expect(early).toEqual([]);
      await holder.end();
      expect(await answer).toMatchObject({ status });
    }
  });
});

// Citus locks all users of a shard for such an insert, and may find that two of them wait for each other.
const onOneMachine = CLUSTER === undefined ? describe : describe.skip;
onOneMachine('statements of writers outside the service', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
  });
  afterEach(() => stage.close());

  it('raise and lower shared counts in one order, so that no two wait for each other', async () => {
    const { id } = stage.person;
    const spaces = await Promise.all(['A', 'B', 'C', 'D'].map((title) => stage.createSpace(title)));
    const tags = await Promise.all(
      NAMES.map(async (tag) => must(201, await stage.api.post<Counted>('/api/v1/tags', { tag: { name: tag } })).id),
    );
    const orders = fc.sample(
      fc.record({
        spaces: fc.shuffledSubarray(spaces, { minLength: 2 }),
        tags: fc.shuffledSubarray(tags, { minLength: 2 }),
      }),
      { seed: SEED, numRuns: 160 },
    );
    const write = async (own: typeof orders) => {
      const session = new Session({ connectionString: stage.database.url });
      await session.connect();
      for (const order of own) {
        const { rows } = await session.query<{ id: number }>(
          `insert into wins (user_id, space_id, body, occurred_on)
           select ${id}, space_id, 'x', '2026-03-01' from unnest(array[${order.spaces.join()}]) space_id returning id`,
        );
        const wins = rows.map((row) => row.id).join();
        await session.query(
          `insert into win_tags (user_id, win_id, tag_id, occurred_on)
           select ${id}, win_id, tag_id, '2026-03-01'
           from unnest(array[${order.tags.join()}]) tag_id, unnest(array[${wins}]) win_id`,
        );
        await session.query(`update wins set space_id = ${order.spaces[0]} where user_id = ${id} and id in (${wins})`);
        await session.query(`delete from win_tags where user_id = ${id} and win_id in (${wins})`);
      }
      await session.end();
    };
    await Promise.all([0, 1, 2, 3].map((writer) => write(orders.filter((_, index) => index % 4 === writer))));
    await stage.checkCounts();
    expect(await stage.countDeadlocks()).toBe(0);
  });
});
