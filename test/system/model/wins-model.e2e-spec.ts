import * as fc from 'fast-check';
import {
  body,
  choice,
  choose,
  day,
  fold,
  must,
  mustEqual,
  operation,
  runClients,
  spelling,
  Stage,
} from '../../harness/programs.js';
import type { Counted, Win } from '../../harness/programs.js';

const CLIENTS = 8;
const OPERATIONS = 2_000;

/** Tags that all clients use and nobody renames or deletes; they come into being by use. */
const HOT_TAGS = ['Launch', 'Équipe', 'Größe', 'zz'];

interface Shared {
  spaces: number[];
  /** Ids by folded name. */
  tags: Map<string, number>;
}

interface ModelWin {
  body: string;
  occurred_on: string;
  space: number;
  tags: Set<number>;
}

const toModel = (win: Win): ModelWin => ({
  body: win.body,
  occurred_on: win.occurred_on,
  space: win.space.id,
  tags: new Set(win.tags.map(({ id }) => id)),
});

/** All that one client made and only it may change, exactly as the API should have it. */
class Owned {
  operations = 0;
  private made = 0;
  readonly wins = new Map<number, ModelWin>();
  readonly tags = new Map<number, string>();
  readonly spaces = new Set<number>();

  constructor(
    readonly number: number,
    readonly shared: Shared,
  ) {}

  newName(): string {
    return `Tag ${this.number}-${++this.made}`;
  }

  anySpace(number: number): number {
    return choose([...this.shared.spaces, ...this.spaces], number);
  }

  idOf(name: string): number | undefined {
    const own = [...this.tags].find(([, other]) => fold(other) === fold(name));
    return this.shared.tags.get(fold(name)) ?? own?.[0];
  }

  /** Takes in a win as the API answers it, with ids of new tags, and holds it against what was expected. */
  learn(answer: Win, expected: Omit<ModelWin, 'tags'>, names: string[]): void {
    for (const { id, name } of answer.tags) {
      if (this.idOf(name) !== undefined) continue;
      if (HOT_TAGS.some((hot) => fold(hot) === fold(name))) this.shared.tags.set(fold(name), id);
      else this.tags.set(id, name);
    }
    const tags = new Set(names.map((name) => this.idOf(name) ?? NaN));
    this.keep(answer, { ...expected, tags });
  }

  keep(answer: Win, expected: ModelWin): void {
    mustEqual(toModel(answer), expected);
    this.wins.set(answer.id, expected);
  }
}

interface Naming {
  kind: 'hot' | 'own' | 'new';
  number: number;
  spell: (name: string) => string;
}

const namings = fc.array(
  fc.record<Naming>({
    kind: fc.constantFrom('hot', 'hot', 'own', 'own', 'new'),
    number: choice,
    spell: spelling,
  }),
  { maxLength: 5 },
);

const namesOf = (model: Owned, wanted: Naming[]) =>
  wanted.map(({ kind, number, spell }) => {
    if (kind === 'hot') return spell(choose(HOT_TAGS, number));
    return spell(kind === 'own' && model.tags.size > 0 ? choose(model.tags.values(), number) : model.newName());
  });

const always = () => true;
const hasWin = ({ wins }: Readonly<Owned>) => wins.size > 0;
const hasTag = ({ tags }: Readonly<Owned>) => tags.size > 0;
const hasSpace = ({ spaces }: Readonly<Owned>) => spaces.size > 0;

const createWin = operation(
  'create win',
  fc.record({ body, occurred_on: day, space: choice, names: namings, isJoined: fc.boolean() }),
  always,
  async (api, model: Owned, fields) => {
    const names = namesOf(model, fields.names);
    const expected = { body: fields.body, occurred_on: fields.occurred_on, space: model.anySpace(fields.space) };
    const { space: space_id, ...rest } = expected;
    const win = { ...rest, space_id, tag_names: fields.isJoined ? names.join(',') : names };
    model.learn(must(201, await api.post<Win>('/api/v1/wins', { win })), expected, names);
  },
);

const updateWin = operation(
  'update win',
  fc.record({ number: choice, win: fc.record({ body, occurred_on: day }, { requiredKeys: [] }) }),
  hasWin,
  async (api, model: Owned, { number, win }) => {
    const [id, before] = choose(model.wins, number);
    model.keep(must(200, await api.patch<Win>(`/api/v1/wins/${id}`, { win })), { ...before, ...win });
  },
);

const moveWin = operation(
  'move win',
  fc.record({ number: choice, space: choice }),
  hasWin,
  async (api, model: Owned, fields) => {
    const [id, before] = choose(model.wins, fields.number);
    const space = model.anySpace(fields.space);
    const answer = await api.patch<Win>(`/api/v1/wins/${id}`, { win: { space_id: space } });
    model.keep(must(200, answer), { ...before, space });
  },
);

const retagWin = operation(
  'retag win',
  fc.record({ number: choice, names: namings }),
  hasWin,
  async (api, model: Owned, fields) => {
    const [id, { tags: _, ...rest }] = choose(model.wins, fields.number);
    const names = namesOf(model, fields.names);
    model.learn(must(200, await api.patch<Win>(`/api/v1/wins/${id}`, { win: { tag_names: names } })), rest, names);
  },
);

const deleteWin = operation('delete win', choice, hasWin, async (api, model: Owned, number) => {
  const [id] = choose(model.wins, number);
  must(204, await api.delete(`/api/v1/wins/${id}`));
  must(404, await api.get(`/api/v1/wins/${id}`));
  model.wins.delete(id);
});

const deleteTag = operation('delete tag', choice, hasTag, async (api, model: Owned, number) => {
  const [id] = choose(model.tags, number);
  must(204, await api.delete(`/api/v1/tags/${id}`));
  model.tags.delete(id);
  for (const { tags } of model.wins.values()) tags.delete(id);
});

const renameTag = operation(
  'rename tag',
  fc.record({ number: choice, respell: fc.option(spelling) }),
  hasTag,
  async (api, model: Owned, { number, respell }) => {
    const [id, before] = choose(model.tags, number);
    const sent = respell === null ? model.newName() : respell(before);
    const { name } = must(200, await api.patch<Counted>(`/api/v1/tags/${id}`, { tag: { name: sent } }));
    mustEqual(name, sent.trim().normalize());
    model.tags.set(id, name);
  },
);

const renameTagOntoAnother = operation(
  'rename tag onto another',
  fc.record({ number: choice, other: choice }),
  ({ tags, shared }: Readonly<Owned>) => tags.size > 0 && shared.tags.size > 0,
  async (api, model: Owned, { number, other }) => {
    const [id] = choose(model.tags, number);
    const name = choose(model.shared.tags.keys(), other);
    must(422, await api.patch(`/api/v1/tags/${id}`, { tag: { name } }));
  },
);

const createSpace = operation('create space', fc.constant(null), always, async (api, model: Owned) => {
  const space = { name: `Space of ${model.number}` };
  model.spaces.add(must(201, await api.post<Counted>('/api/v1/spaces', { space })).id);
});

const deleteSpace = operation('delete space', choice, hasSpace, async (api, model: Owned, number) => {
  const id = choose(model.spaces, number);
  must(204, await api.delete(`/api/v1/spaces/${id}`));
  model.spaces.delete(id);
  for (const [winId, { space }] of model.wins) if (space === id) model.wins.delete(winId);
});

const COMMANDS = [
  [createWin, createWin, createWin, updateWin, moveWin, moveWin, retagWin, retagWin, deleteWin],
  [deleteTag, renameTag, renameTagOntoAnother, createSpace, deleteSpace],
].flat();

describe('8 clients at once, each with wins, tags and spaces of its own beside shared ones', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
  });
  afterEach(() => stage.close());

  it('leave exactly the rows and counts that their models have, with no deadlock on the way', async () => {
    const shared: Shared = {
      spaces: [await stage.createSpace('Work'), await stage.createSpace('Home')],
      tags: new Map(),
    };
    const owners = Array.from({ length: CLIENTS }, (_, number) => new Owned(number, shared));
    expect(await runClients(stage, COMMANDS, owners, OPERATIONS)).toBeGreaterThanOrEqual(OPERATIONS);

    const wins = owners.flatMap((owner) => [...owner.wins]);
    const count = (isCounted: (win: ModelWin) => boolean) => wins.filter(([, win]) => isCounted(win)).length;
    const tags = [...owners.flatMap((owner) => [...owner.tags.keys()]), ...shared.tags.values()];
    const spaces = [...owners.flatMap((owner) => [...owner.spaces]), ...shared.spaces];
    const counts = async (path: string) =>
      new Map((await stage.all<Counted>(path)).map(({ id, wins_count }) => [id, wins_count]));

    expect(new Map((await stage.all<Win>('/api/v1/wins')).map((win) => [win.id, toModel(win)]))).toEqual(new Map(wins));
    expect(await counts('/api/v1/tags')).toEqual(new Map(tags.map((id) => [id, count((win) => win.tags.has(id))])));
    expect(await counts('/api/v1/spaces')).toEqual(new Map(spaces.map((id) => [id, count((win) => win.space === id)])));
    await stage.checkCounts();
    expect(await stage.countDeadlocks()).toBe(0);
  }, 120_000);
});
