import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from './factories.js';
import { call } from './call.js';
import type { Database } from './database.js';

const TAGS = ['alpha', 'beta', 'gamma', 'delta'];

/** Milliseconds a request may take; beyond, the service hangs. */
const PATIENCE = 12_000;

/** What a 503 says. */
const NOTHING_CHANGED = 'nothing was changed';
const MAYBE_DONE =
  'The database was lost during this request, and the change may have been made. ' +
  'A POST is safe to repeat with the same Idempotency-Key; otherwise check first';

/** A win as far as its writer knows. */
interface Known {
  body: string;
  tags: string[];
}

/** Writers who never stop, and what they were told of their writes. */
export class Load {
  /** Answers by status; 0 is a request without one. */
  readonly answers = new Map<number, number>();
  /** What must not happen: answers of another kind than 2xx and a proper 503, and hanging requests. */
  readonly wrong: string[] = [];
  /** When the last 2xx came, and the last answer that was none: milliseconds of `performance.now()`. */
  lastGood = 0;
  lastBad = 0;

  readonly #wins = new Map<number, Known>();
  readonly #deleted = new Set<number>();
  /** Wins with a write of which nobody knows whether it was done. */
  readonly #unsure = new Set<number>();
  readonly #sent = new Set<string>();
  #writers: Promise<void>[] = [];
  #isStopping = false;
  #attempts = 0;

  /** @param url of the service @param spaces ids of two spaces of the person */
  constructor(
    private readonly url: string,
    private readonly person: Person,
    private readonly spaces: number[],
  ) {}

  /** A person with spaces and the writers on it, who do not write yet. */
  static async prepare(url: string, database: Database): Promise<Load> {
    const person = await database.person();
    const spaces: number[] = [];
    for (const name of ['One', 'Two']) {
      const { body } = await call(url, 'POST', '/api/v1/spaces', { token: person.token, json: { space: { name } } });
      spaces.push((body as { id: number }).id);
    }
    return new Load(url, person, spaces);
  }

  get good(): number {
    return [200, 201, 204].reduce((sum, status) => sum + this.count(status), 0);
  }

  get total(): number {
    return [...this.answers.values()].reduce((sum, n) => sum + n, 0);
  }

  count(status: number): number {
    return this.answers.get(status) ?? 0;
  }

  start(writers = 6): void {
    this.#isStopping = false;
    this.#writers = Array.from({ length: writers }, (_, n) => this.#write(n));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#writers);
  }

  /**
   * Holds what is stored against what was acknowledged.
   *
   * @returns what is wrong, each as a sentence; none if all is well
   */
  async faults(database: Database): Promise<string[]> {
    const faults: string[] = [];
    const rows = await database.query<{ id: string; body: string; tags: string[] }>(
      `select wins.id, body, array(
         select name from win_tags l join tags t on t.user_id = l.user_id and t.id = l.tag_id
         where l.user_id = wins.user_id and l.win_id = wins.id order by name
       ) as tags
       from wins where user_id = $1`,
      [this.person.id],
    );
    const stored = new Map(rows.map((row) => [Number(row.id), row]));
    for (const [id, { body, tags }] of this.#wins) {
      const row = stored.get(id);
      if (this.#unsure.has(id)) continue;
      if (this.#deleted.has(id)) {
        if (row !== undefined) faults.push(`win ${id} was deleted and is there`);
      } else if (row === undefined) faults.push(`win ${id} was acknowledged and is missing`);
      else if (row.body !== body || row.tags.join() !== tags.join()) faults.push(`win ${id} is not as acknowledged`);
    }
    if (new Set(rows.map(({ body }) => body)).size !== rows.length) faults.push('a win was stored twice');
    if (rows.some(({ body }) => !this.#sent.has(body))) faults.push('a win is stored that nobody sent');
    return [...faults, ...(await this.#wrongCounts(database)), ...(await this.#wrongTotals())];
  }

  /** The counts as stored, against the rows. */
  async #wrongCounts(database: Database): Promise<string[]> {
    const wrong = await database.query<{ kind: string; id: string }>(
      `select 'space' as kind, id from spaces s where wins_count <>
         (select count(*) from wins w where w.user_id = s.user_id and w.space_id = s.id)
       union all
       select 'tag', id from tags t where wins_count <>
         (select count(*) from win_tags l where l.user_id = t.user_id and l.tag_id = t.id)`,
    );
    return wrong.map(({ kind, id }) => `the count of ${kind} ${id} is wrong`);
  }

  /** The counts as the API tells them, against its lists. */
  async #wrongTotals(): Promise<string[]> {
    const { token } = this.person;
    const list = async (path: string) => {
      const { status, body } = await call(this.url, 'GET', path, { token });
      if (status !== 200) throw new Error(`${path} answered ${status}`);
      return body as { id: number; name: string; wins_count: number }[];
    };
    const asked = [
      ...(await list('/api/v1/tags')).map(({ name, wins_count }) => ({ filter: `tag=${name}`, wins_count })),
      ...(await list('/api/v1/spaces')).map(({ id, wins_count }) => ({ filter: `space_id=${id}`, wins_count })),
    ];
    const faults: string[] = [];
    for (const { filter, wins_count } of asked) {
      const { headers } = await call(this.url, 'GET', `/api/v1/wins?per_page=1&${filter}`, { token });
      if (Number(headers.get('x-total-count')) !== wins_count) faults.push(`the list of ${filter} has another total`);
    }
    return faults;
  }

  async #write(writer: number): Promise<void> {
    const own: number[] = [];
    for (let n = 0; !this.#isStopping; n++) {
      const tags = [TAGS[n % 4]!, TAGS[(n + writer + 1) % 4]!].toSorted().filter((tag, i, all) => tag !== all[i - 1]);
      const id = own[Math.floor(own.length / 2)];
      if (n % 5 === 3 && id !== undefined) await this.#change(id, tags);
      else if (n % 5 === 4 && id !== undefined) {
        own.splice(own.indexOf(id), 1);
        await this.#delete(id);
      } else {
        const created = await this.#create(`Win ${++this.#attempts}`, tags);
        if (created !== undefined) own.push(created);
      }
    }
  }

  async #create(body: string, tags: string[]): Promise<number | undefined> {
    this.#sent.add(body);
    const win = { body, space_id: this.spaces[tags.length % 2], tag_names: tags };
    const { outcome, answer } = await this.#send('POST', '/api/v1/wins', { win });
    if (outcome === 'refused') this.#sent.delete(body);
    if (outcome !== 'done') return undefined;
    const { id } = answer as { id: number };
    this.#wins.set(id, { body, tags });
    return id;
  }

  async #change(id: number, tags: string[]): Promise<void> {
    const win = { space_id: this.spaces[id % 2], tag_names: tags };
    const { outcome } = await this.#send('PATCH', `/api/v1/wins/${id}`, { win });
    if (outcome === 'unknown') this.#unsure.add(id);
    if (outcome === 'done') this.#wins.get(id)!.tags = tags;
  }

  async #delete(id: number): Promise<void> {
    const { outcome } = await this.#send('DELETE', `/api/v1/wins/${id}`);
    if (outcome === 'unknown') this.#unsure.add(id);
    if (outcome === 'done') this.#deleted.add(id);
  }

  /** @returns what became of it, as the answer tells */
  async #send(method: string, path: string, json?: unknown): Promise<Sent> {
    const { token } = this.person;
    let status = 0;
    let body: unknown;
    let outcome: Sent['outcome'] = 'unknown';
    try {
      const signal = AbortSignal.timeout(PATIENCE);
      const answer = await call(this.url, method, path, { token, json, signal });
      ({ status, body } = answer);
      if (status >= 300 && !isProper503(answer)) this.wrong.push(`${method} ${status} ${JSON.stringify(body)}`);
      if (status >= 300 && JSON.stringify(body).includes(NOTHING_CHANGED)) outcome = 'refused';
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') this.wrong.push(`${method} hung`);
    }
    this.answers.set(status, this.count(status) + 1);
    if (status >= 200 && status < 300) {
      this.lastGood = performance.now();
      return { outcome: 'done', answer: body };
    }
    this.lastBad = performance.now();
    await sleep(20);
    return { outcome };
  }
}

/** What became of a request that writes. */
interface Sent {
  /** `refused` is that nothing was changed, `unknown` that it may have been. */
  outcome: 'done' | 'refused' | 'unknown';
  answer?: unknown;
}

/** Whether an answer is the one error shape and says when to come again. */
function isProper503({ status, headers, body }: Awaited<ReturnType<typeof call>>): boolean {
  const { request_id, error, ...rest } = body as Record<string, unknown>;
  return (
    status === 503 &&
    Number(headers.get('retry-after')) > 0 &&
    typeof request_id === 'string' &&
    (error === `The service is temporarily unavailable; ${NOTHING_CHANGED}` || error === MAYBE_DONE) &&
    JSON.stringify(rest) === JSON.stringify({ code: 'unavailable' })
  );
}
