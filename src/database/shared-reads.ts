import { setImmediate } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { isUnfit } from './errors.js';
import type { Value } from './queries.js';

/** How many reads may be pending on a connection. */
const MAX_PENDING = 200;

/** Milliseconds that one read may block the others, and the pause before a lost connection is opened again. */
const MAX_BLOCKED = 1_000;
const REOPEN_AFTER = 1_000;

/**
 * One long-lived connection on which short reads are sent without waiting for the responses in between (the driver's
 * pipeline mode), and all reads of one turn of the event loop in one write. Most of the cost of a short statement is
 * waking up both sides for it.
 *
 * A read waits for all reads before it, so only reads whose work has a constant bound belong here. If one blocks all the
 * same, behind a lock, the connection is closed.
 */
export class SharedReads {
  readonly #pending = new Map<number, number>();
  #session?: PoolClient;
  #isOpening = false;
  #isGathering = false;
  #watchdog?: NodeJS.Timeout;
  #responses = 0;
  /** How many reads are waiting for their response. */
  pending = 0;

  /** @param share how many reads of one user may be pending */
  constructor(
    private readonly pool: Pool,
    private readonly share: number,
  ) {}

  get isOpen(): boolean {
    return this.#session !== undefined;
  }

  /**
   * @returns the rows, or `undefined` if the read has to go elsewhere: too many are pending, or there is no connection
   * @throws an error that `isUnfit()` if the connection was lost; then the read may be repeated elsewhere
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
      this.#responses++;
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

  /** Holds back what is written until the end of this turn of the event loop, so that it goes in one write. */
  async #gather({ connection: { stream } }: PoolClient): Promise<void> {
    if (this.#isGathering) return;
    this.#isGathering = true;
    stream.cork();
    await setImmediate();
    stream.uncork();
    this.#isGathering = false;
  }

  /** Restarts the time of the read that is next: it counts from the response before it. */
  #watch(): void {
    this.#watchdog ??= setTimeout(this.#check, MAX_BLOCKED).unref();
    this.#watchdog.refresh();
  }

  readonly #check = async (): Promise<void> => {
    const before = this.#responses;
    await setImmediate(); // if this process was blocked itself, responses may have arrived that it has not read yet
    if (this.pending > 0 && this.#responses === before) this.close();
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
      // reads go to the pool in the meantime, and get the error there
    } finally {
      setTimeout(() => (this.#isOpening = false), REOPEN_AFTER).unref();
    }
  }

  /** Pending reads fail. The next read opens a new connection, unless the pool has ended. */
  close(): void {
    const session = this.#session;
    this.#session = undefined;
    session?.connection.stream.destroy();
    session?.release(true);
  }
}
