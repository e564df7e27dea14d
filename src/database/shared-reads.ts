import { setImmediate } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { isUnfit } from './errors.js';
import { gather, type Value } from './queries.js';

/** How many reads may be pending on a connection. */
const MAX_PENDING = 200;

/** Milliseconds that one read may hold up the others, and those before a lost connection is opened again. */
const STALL = 1_000;
const REOPEN_AFTER = 1_000;

/**
 * One long-lived connection on which short reads are sent without waiting for the answers to those before (the driver's
 * pipeline mode), all of one turn of the event loop in one write: most of what a short statement costs is not its work
 * but that either side is woken for it.
 *
 * A read waits for those before it, so only reads whose work has a constant bound may go here. Where one stalls all the
 * same, behind a lock, the connection is given up.
 */
export class SharedReads {
  readonly #pending = new Map<number, number>();
  #session?: PoolClient;
  #isOpening = false;
  #isGathering = false;
  #watchdog?: NodeJS.Timeout;
  #answered = 0;
  /** How many reads were sent and not answered yet. */
  pending = 0;

  /** @param pool where the connection comes from @param share how many reads of one user may be pending */
  constructor(
    private readonly pool: Pool,
    private readonly share: number,
  ) {}

  get isOpen(): boolean {
    return this.#session !== undefined;
  }

  /**
   * @returns the rows, or `undefined` where there is no room for the read. If the connection is lost, the error is one
   *   that `isUnfit()`: the read may be sent again elsewhere
   */
  query<Row>(userId: number, text: string, values: readonly Value[]): Promise<Row[]> | undefined {
    const own = this.#pending.get(userId) ?? 0;
    if (this.#session === undefined) return void this.#open();
    return this.pending < MAX_PENDING && own < this.share ? this.#send(this.#session, userId, text, values) : undefined;
  }

  async #send<Row>(session: PoolClient, userId: number, text: string, values: readonly Value[]): Promise<Row[]> {
    if (this.pending === 0) this.#watch();
    this.#count(userId, 1);
    void this.#gather(session);
    try {
      return (await session.query<Row & object>(text, [...values])).rows;
    } catch (error) {
      if (session === this.#session && isUnfit(error)) this.close();
      throw error;
    } finally {
      this.#answered++;
      this.#count(userId, -1);
      this.#watch();
    }
  }

  #count(userId: number, change: 1 | -1): void {
    this.pending += change;
    const own = (this.#pending.get(userId) ?? 0) + change;
    if (own === 0) this.#pending.delete(userId);
    else this.#pending.set(userId, own);
  }

  async #gather(session: PoolClient): Promise<void> {
    if (this.#isGathering) return;
    this.#isGathering = true;
    await gather(session);
    this.#isGathering = false;
  }

  /** The time of a read runs from its turn: from when the one before it was answered. */
  #watch(): void {
    this.#watchdog ??= setTimeout(this.#check, STALL).unref();
    this.#watchdog.refresh();
  }

  readonly #check = async (): Promise<void> => {
    const answered = this.#answered;
    await setImmediate(); // where this process was held up itself, answers have arrived and were not read yet
    if (this.pending > 0 && this.#answered === answered) this.close();
  };

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
