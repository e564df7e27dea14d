import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { Answer } from '../../harness/client.js';
import { findOperation } from '../../harness/document.js';
import { Factory, type Person } from '../../harness/factories.js';
import type { Service } from '../../harness/processes.js';
import { answersIn, converse } from '../../harness/raw.js';
import { judge, judgeAnyAnswer, routedPath } from './judge.js';
import type { Actor, Request } from './requests.js';
import { resolve } from './values.js';
import { renderPipeline, renderWire, type Wire } from './wire.js';

/** Milliseconds within which every request is answered, and a connection that is done with is closed. */
const PATIENCE = 60_000;

/** Milliseconds of silence after which a client that sent broken bytes says that it sends no more. */
const SILENCE = 50;

/** So many ids of one kind are remembered. */
const MEMORY = 10;

const TABLES = ['users', 'api_tokens', 'tags', 'spaces', 'wins', 'win_tags'];

/** Whose rows are an actor's own. */
const OWNERS: Record<Actor, string> = { pro: 'pro', reader: 'pro', free: 'free', expiring: 'free', stranger: 'pro' };

/** Everybody who sends requests, a bystander who sends none, and what is known of their rows. */
export class World {
  /** The statuses that were seen, by operation. */
  readonly seen = new Map<string, Set<number>>();
  readonly #make: Factory;
  readonly #tokens: Record<string, string> = {};
  readonly #ids: Record<string, number[]> = {};
  #bystander: Person;

  constructor(
    private readonly server: Service,
    private readonly dataSource: DataSource,
  ) {
    this.#make = new Factory(dataSource);
  }

  /** Makes everybody, and for each some rows to begin with. */
  async populate(): Promise<void> {
    // No token may be revoked by an id that was guessed: all that its actor sends from then on would be 401.
    await this.dataSource.query('alter table api_tokens alter column id restart with 4000000000000');
    const [pro, free, other] = [
      await this.#make.person({ plan: 'pro' }),
      await this.#make.person(),
      await this.#make.person({ plan: 'pro' }),
    ];
    this.#bystander = other;
    const [anHourAgo, inADay] = [-1, 24].map((hours) => new Date(Date.now() + hours * 3_600_000));
    const revoked = await this.#make.token(pro.id);
    await this.dataSource.query('delete from api_tokens where id = (select max(id) from api_tokens)');
    Object.assign(this.#tokens, {
      pro: pro.token,
      free: free.token,
      reader: await this.#make.token(pro.id, { scope: 'read' }),
      expiring: await this.#make.token(free.id, { expiresAt: inADay }),
      expired: await this.#make.token(pro.id, { expiresAt: anHourAgo }),
      revoked,
    });
    for (const [whose, { token }] of Object.entries({ pro, free, other })) {
      for (const name of ['Launch', 'Team', 'Rest']) await this.#fill(whose, token, name);
    }
  }

  async #fill(whose: string, token: string, name: string): Promise<void> {
    const post = async (resource: string, body: object) => {
      const answer = await this.server.call('POST', `/api/v1/${resource}`, { token, json: body });
      expect(answer.status).toBe(201);
      this.#idsOf(whose, resource).push(answer.body.id);
      return answer.body.id;
    };
    const space_id = await post('spaces', { space: { name } });
    await post('tags', { tag: { name } });
    // So many that updates find some, however many deletes come first.
    for (let n = 0; n < 8; n++) await post('wins', { win: { body: name, space_id, tag_names: [name, 'Both'] } });
    await post('tokens', { token: { name } });
  }

  /** All rows of the bystander, as PostgreSQL writes them. */
  async rowsOfBystander(): Promise<Record<string, string[]>> {
    const rows: Record<string, string[]> = {};
    for (const table of TABLES) {
      const key = table === 'users' ? 'id' : 'user_id';
      const found = await this.dataSource.query<{ row: string }[]>(
        `select t::text as row from ${table} t where ${key} = $1 order by 1`,
        [this.#bystander.id],
      );
      rows[table] = found.map(({ row }) => row);
    }
    return rows;
  }

  /** Sends requests over one connection, which the last one closes, and judges the answers. */
  async send(requests: readonly Request[]): Promise<void> {
    const asked = requests.map((request) => this.#resolved(request));
    const bytes = renderPipeline(asked);
    const received = await inTime(converse(this.server.url, [bytes]).catch(unlessCut(bytes)));
    if (received === undefined) return;
    const answers = answersIn(received);
    answers.forEach((answer, place) => {
      judge(asked[place]!, answer, isForeign(requests[place]!));
      this.#learn(asked[place]!, answer);
    });
    if (answers.length < requests.length && answers.at(-1)?.headers.get('connection') !== 'close')
      throw new Error(`${requests.length} requests have ${answers.length} answers: ${received.toString()}`);
  }

  /** Sends bytes, and judges what answers there are. */
  async sendWire(wire: Wire): Promise<void> {
    const lines = wire.oddities.lines.map((line) => this.#withTokens(line));
    const requests = wire.requests.map((request) => this.#resolved(request));
    const bytes = renderWire({ ...wire, requests, oddities: { ...wire.oddities, lines } });
    if (wire.isAborted) return abort(this.server.url, bytes);
    const received = await inTime(converse(this.server.url, [bytes], SILENCE).catch(unlessCut(bytes)));
    for (const answer of answersIn(received ?? Buffer.alloc(0))) judgeAnyAnswer(bytes.toString('latin1'), answer);
  }

  /** The request with tokens and ids in the places that stand for them. */
  #resolved(request: Request): Request {
    const put = (text: string) =>
      this.#withTokens(
        resolve(text, (whose, resource, place) => {
          const known = this.#idsOf(whose === 'own' ? OWNERS[request.actor] : whose, resource);
          return known[place % known.length] ?? 1;
        }),
      );
    return {
      ...request,
      target: put(request.target),
      authorization: request.authorization.map(put),
      ...(request.body !== undefined && { body: put(request.body) }),
    };
  }

  #withTokens = (text: string) => text.replaceAll(/~(\w+)~/g, (whole, name: string) => this.#tokens[name] ?? whole);

  /** Ids that exist, or did. */
  #idsOf = (whose: string, resource: string) => (this.#ids[`${whose} ${resource}`] ??= []);

  #learn({ actor, method, target }: Request, { status, body }: Answer): void {
    const path = routedPath(target);
    const operation = findOperation(method, path);
    if (operation === undefined) return;
    const statuses = this.seen.get(operation.operationId) ?? new Set();
    this.seen.set(operation.operationId, statuses.add(status));
    const [, , , resource = '', id] = path.split('/');
    const known = this.#idsOf(OWNERS[actor], resource);
    if (status === 201) known.push((body as { id: number }).id);
    if (status === 204) known.splice(known.indexOf(Number(id)), 1);
    if (known.length > MEMORY) known.shift();
  }
}

const isForeign = ({ target }: Request) => target.split('?', 1)[0]!.includes('~other');

/** A service that refuses a large body at its head may close the connection under a client that still writes. */
const unlessCut = (bytes: Buffer) => (error: unknown) => {
  if (bytes.length > 32 * 1024 && /ECONNRESET|EPIPE/.test(String(error))) return undefined;
  throw error;
};

async function inTime<T>(work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = sleep(PATIENCE, undefined, { signal: done.signal }).then(() => {
    throw new Error(`There is no end within ${PATIENCE} ms`);
  });
  return Promise.race([work, late]).finally(() => {
    done.abort();
    late.catch(() => undefined);
  });
}

/** Sends bytes and is gone, whatever the service says to it. */
function abort(url: string, bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((done) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes, () => socket.resetAndDestroy()));
    socket.once('error', () => undefined).once('close', () => done());
  });
}
