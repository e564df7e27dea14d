import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { startApp, type TestApp } from './app.js';
import type { Answer, Client } from './client.js';
import type { Person } from './factories.js';
import { createDatabase, type FreshDatabase } from './fresh-database.js';

/** Random programs of many clients at once, run on the wins, tags and spaces of one user. */

/** The programs follow from the seed; how the clients interleave is up to the machine. */
export const SEED = Number(process.env.MODEL_SEED ?? Math.trunc(Math.random() * 2 ** 31));

export interface Win {
  id: number;
  body: string;
  occurred_on: string;
  space: { id: number };
  tags: { id: number; name: string }[];
}

export interface Counted {
  id: number;
  name: string;
  wins_count: number;
}

/** The body of an answer. @throws Error unless it has the status */
export function must<T>(status: number, answer: Answer<T>): T {
  if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${answer.text}`);
  return answer.body;
}

/** @throws Error unless both are deeply equal */
export function mustEqual<T>(actual: T, expected: T): void {
  if (!isDeepStrictEqual(actual, expected)) {
    throw new Error(`${fc.stringify(actual)} instead of ${fc.stringify(expected)}`);
  }
}

/** Those of a user's spaces and tags whose count is wrong: one statement, so one moment. */
const WRONG_COUNTS = `
  with counted as (
    select 'space' as kind, id, wins_count,
      (select count(*) from wins where wins.user_id = spaces.user_id and wins.space_id = spaces.id) as rows
    from spaces where user_id = $1
    union all
    select 'tag', id, wins_count,
      (select count(*) from win_tags where win_tags.user_id = tags.user_id and win_tags.tag_id = tags.id)
    from tags where user_id = $1
  )
  select * from counted where wins_count <> rows`;

/** The service on a database of its own, with one user that all programs are about. */
export class Stage {
  private constructor(
    readonly database: FreshDatabase,
    readonly app: TestApp,
    readonly person: Person,
  ) {}

  /** @param settings of the service, as environment variables */
  static async open(settings: NodeJS.ProcessEnv = {}): Promise<Stage> {
    // A commit need not survive a crash here, and a deadlock need not last for PostgreSQL's usual second.
    const database = await createDatabase({ synchronous_commit: 'off', deadlock_timeout: '20ms' });
    const app = await startApp({ DATABASE_URL: database.url, ...settings });
    return new Stage(database, app, await app.make.person({ plan: 'pro' }));
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.database.drop();
  }

  get api(): Client {
    return this.app.as(this.person);
  }

  async createSpace(name: string): Promise<number> {
    return must(201, await this.api.post<Counted>('/api/v1/spaces', { space: { name } })).id;
  }

  /** Every item of a list, page by page. */
  async all<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; ; page++) {
      const answer = await this.api.get<T[]>(`${path}${path.includes('?') ? '&' : '?'}per_page=100&page=${page}`);
      items.push(...must(200, answer));
      if (answer.body.length < 100) {
        mustEqual(answer.headers.get('x-total-count'), String(items.length));
        return items;
      }
    }
  }

  /** @throws Error if at this moment, others at work or not, a count is not that of the rows */
  async checkRows(): Promise<void> {
    mustEqual(await this.app.dataSource.query(WRONG_COUNTS, [this.person.id]), []);
  }

  /** @throws Error unless every count is that of the rows and of what the filtered list returns; while nobody writes */
  async checkCounts(): Promise<void> {
    await this.checkRows();
    for (const { name, wins_count } of await this.all<Counted>('/api/v1/tags')) {
      const wins = await this.all<Win>(`/api/v1/wins?tag=${encodeURIComponent(name)}`);
      mustEqual([name, wins_count], [name, wins.length]);
    }
    for (const { id, wins_count } of await this.all<Counted>('/api/v1/spaces')) {
      const wins = await this.all<Win>(`/api/v1/wins?space_id=${id}`);
      mustEqual([id, wins_count], [id, wins.length]);
    }
  }

  /** Closes the app, and with it its sessions, which report at the latest then. @returns how many deadlocks they had */
  async countDeadlocks(): Promise<number> {
    await this.app.close();
    const text = 'select deadlocks::int as count from pg_stat_database where datname = current_database()';
    return (await this.database.query<{ count: number }>(text))[0]!.count;
  }
}

/** What a client knows, and how many operations it has run. */
interface Model {
  operations: number;
}

type Command<M extends Model> = fc.AsyncCommand<M, Stage>;

/** An operation. @param isPossible says whether it can run in the model's state; it is left out where it can't */
export function operation<M extends Model, Fields>(
  title: string,
  fields: fc.Arbitrary<Fields>,
  isPossible: (model: Readonly<M>) => boolean,
  run: (api: Client, model: M, fields: Fields) => Promise<void>,
): fc.Arbitrary<Command<M>> {
  return fields.map((values) => ({
    check: isPossible,
    run: (model, stage) => {
      model.operations++;
      return run(stage.api, model, values);
    },
    toString: () => `${title} ${fc.stringify(values)}`,
  }));
}

/** Looks at all counts in one statement, that is at one moment of what all clients do. */
const look = fc.constant<Command<Model>>({
  check: () => true,
  run: (_, stage) => stage.checkRows(),
  toString: () => 'look',
});

/**
 * Lets one client per model run programs, all at once, until each has done its share.
 *
 * @param commands what programs are made of; the more often a command is there, the more often it is taken
 * @returns how many operations ran
 */
export async function runClients<M extends Model>(
  stage: Stage,
  commands: fc.Arbitrary<Command<M>>[],
  models: M[],
  operations: number,
): Promise<number> {
  process.stdout.write(`Random programs with MODEL_SEED=${SEED}\n`);
  const program = fc.commands([...commands, look], { maxCommands: 50, size: 'max' });
  const share = Math.ceil(operations / models.length);
  await Promise.all(
    models.map(async (model, number) => {
      for (let round = 0; model.operations < share; round++) {
        const [sampled] = fc.sample(program, { seed: SEED + number * 10_007 + round, numRuns: 1 });
        await fc.asyncModelRun(() => ({ model, real: stage }), sampled!);
      }
    }),
  );
  return models.reduce((sum, model) => sum + model.operations, 0);
}

/** Stands for one of many, whatever their number then is. */
export const choice = fc.nat({ max: 1_000 });

/** @param items not empty */
export function choose<T>(items: Iterable<T>, number: number): T {
  const list = [...items];
  return list[number % list.length]!;
}

export const day = fc.integer({ min: 1, max: 28 }).map((number) => `2026-02-${String(number).padStart(2, '0')}`);
export const body = fc.constantFrom('Shipped it', 'Größe 100%', 'One\n\nTwo', '🎉', "'; drop table wins; --");

/** Ways to write a name that are all the same name. */
const SPELLINGS = [
  (name: string) => name,
  (name: string) => name.toLowerCase(),
  (name: string) => name.toUpperCase(),
  (name: string) => ` ${name.normalize('NFD')}\t`,
];
export const spelling = fc.constantFrom(...SPELLINGS);

/** What all spellings of a name have in common. */
export const fold = (name: string) => name.trim().normalize().toUpperCase();
