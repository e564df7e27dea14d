import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Pool, PoolClient } from 'pg';
import { isUnfit } from './errors.js';
import { gather, type Value } from './queries.js';

/** How many reads may be pending on the connection. */
const MAX_PENDING = 200;

/** Milliseconds of work that one user may have pending, going by what the user's reads took lately. */
const USER_WORK = 25;

/** Milliseconds that a read is assumed to take before its user's were measured, and how much each one counts then. */
const FIRST_GUESS = 3;
const WEIGHT = 1 / 8;

/** Of how many users that is remembered, and for how many milliseconds. */
const USERS = 1_000;
const MEMORY = 5_000;

/** Milliseconds that a single read may hold up the others, and those before a lost connection is opened again. */
const STALL = 1_000;
const REOPEN_AFTER = 1_000;

/** What a user has pending, and the milliseconds that a read of theirs takes on average. */
interface Usage {
  pending: number;
  mean: number;
}

/**
 * One long-lived connection on which short reads are sent without waiting for the answers to those before (the driver's
 * pipeline mode), all of one turn of the event loop in one write: most of what a short statement costs is not its work
 * but that either side is woken for it.
 *
 * A read waits for those before it, so only what is short may go here. Whose reads turn out not to be gets less room,
 * down to none; where one stalls, the connection is given up.
 */
export class SharedReads {
  readonly #users = new LRUCache<number, Usage>({ max: USERS, ttl: MEMORY });
  #session?: PoolClient;
  #isOpening = false;
  #isGathering = false;
  #isStalled = false;
  #pending = 0;
  #answered = 0;
  /** When the read that is worked on had its turn. */
  #turnAt = 0;
  #watchdog?: NodeJS.Timeout;

  /** @param pool where the connection comes from */
  constructor(private readonly pool: Pool) {}

  get isOpen(): boolean {
    return this.#session !== undefined;
  }

  /** How many reads were sent and not answered yet. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * @param userId whose read it is
   * @returns the rows, or `undefined` where the read was not sent because it has no room here. If the connection is lost,
   *   the error is one that `isUnfit()`: the read may be sent again elsewhere
   */
  query<Row>(userId: number, text: string, values: readonly Value[]): Promise<Row[]> | undefined {
    if (this.#session === undefined) {
      void this.#open();
      return undefined;
    }
    let usage = this.#users.get(userId);
    if (usage === undefined) this.#users.set(userId, (usage = { pending: 0, mean: FIRST_GUESS }));
    if (this.#pending >= MAX_PENDING || (usage.pending + 1) * usage.mean > USER_WORK) return undefined;
    return this.#send<Row>(this.#session, usage, text, values);
  }

  async #send<Row>(session: PoolClient, usage: Usage, text: string, values: readonly Value[]): Promise<Row[]> {
    if (this.#pending === 0) this.#watch();
    this.#pending++;
    usage.pending++;
    void this.#gather(session);
    try {
      return (await session.query<Row & object>(text, [...values])).rows;
    } catch (error) {
      if (session === this.#session && isUnfit(error)) this.close();
      if (this.#isStalled) await this.#letOthersPass();
      throw error;
    } finally {
      this.#answered++;
      this.#pending--;
      usage.pending--;
      usage.mean += WEIGHT * (performance.now() - this.#turnAt - usage.mean);
      this.#watch();
    }
  }

  /** The next read has its turn. */
  #watch(): void {
    this.#turnAt = performance.now();
    this.#watchdog ??= setTimeout(this.#check, STALL).unref();
    this.#watchdog.refresh();
  }

  readonly #check = async (): Promise<void> => {
    const answered = this.#answered;
    await setImmediate(); // where this process was held up itself, answers have arrived and were not read yet
    if (this.#pending === 0 || this.#answered > answered) return;
    this.#isStalled = true;
    this.close();
  };

  /** What stalled fails after what stood behind it: it would go first again. */
  async #letOthersPass(): Promise<void> {
    this.#isStalled = false;
    await setImmediate();
  }

  async #gather(session: PoolClient): Promise<void> {
    if (this.#isGathering) return;
    this.#isGathering = true;
    await gather(session);
    this.#isGathering = false;
  }

  async #open(): Promise<void> {
    if (this.#isOpening || this.pool.ending) return;
    this.#isOpening = true;
    try {
      const session = await this.pool.connect();
      session.on('error', () => session === this.#session && this.close());
      this.#session = session;
      if (this.pool.ending) this.close();
    } catch {
      // whoever reads meanwhile asks the pool, and learns why
    } finally {
      setTimeout(() => (this.#isOpening = false), REOPEN_AFTER).unref();
    }
  }

  /** What is pending fails. The next read opens a connection again, unless the pool has ended. */
  close(): void {
    const session = this.#session;
    this.#session = undefined;
    session?.connection.stream.destroy();
    session?.release(true);
  }
}
