import { DatabaseError, type PoolClient } from 'pg';
import { isUnfit } from './errors.js';
import { gather, isWorthRetry, LATENESS, type Value } from './queries.js';
import type { Turns } from './turns.js';

/** How many short writes of a user are sent at once. */
const MAX_BATCH = 16;

/**
 * Milliseconds that every write but the first waits for a lock: if the lock is held for long, their waits would add up.
 * The first one waits for what is left of `turns.patience`.
 */
const LOCK_TIMEOUT = 50;

interface Write {
  userId: number;
  /** When it was queued, by `performance.now()`. */
  since: number;
  text: string;
  values: readonly Value[];
  resolve(rows: object[]): void;
  reject(error: unknown): void;
}

const isLocked = (error: unknown) => error instanceof DatabaseError && error.code === '55P03';

/**
 * Batches a user's short writes: whoever gets a turn sends all that are queued, over one session and without waiting for
 * responses in between (the driver's pipeline mode). Each write is a transaction by itself. One that fails because of
 * others, with a deadlock or a lock time-out, is retried in a turn of its own.
 */
export class Batches {
  readonly #waiting = new Map<number, Write[]>();

  /**
   * @param withSession runs work with a session of the pool
   * @param timeout of a statement, in milliseconds
   * @param retry runs a statement in a turn of its own
   */
  constructor(
    private readonly turns: Turns,
    private readonly withSession: (work: (session: PoolClient) => Promise<void>) => Promise<void>,
    private readonly timeout: number,
    private readonly retry: (userId: number, text: string, values: readonly Value[]) => Promise<object[]>,
  ) {}

  query(userId: number, text: string, values: readonly Value[]): Promise<object[]> {
    return new Promise((resolve, reject) => {
      const write = { userId, since: performance.now(), text, values, resolve, reject };
      const queue = this.#waiting.get(userId) ?? [];
      this.#waiting.set(userId, queue);
      queue.push(write);
      this.turns
        .run(userId, 1, () => this.#sendNext(userId))
        .catch((error: unknown) => {
          const index = queue.indexOf(write);
          if (index === -1) return; // an earlier turn has sent it
          this.#take(userId, index, 1);
          reject(error);
        });
    });
  }

  #take(userId: number, from: number, count: number): Write[] {
    const queue = this.#waiting.get(userId) ?? [];
    const taken = queue.splice(from, count);
    if (queue.length === 0) this.#waiting.delete(userId);
    return taken;
  }

  async #sendNext(userId: number): Promise<void> {
    const writes = this.#take(userId, 0, MAX_BATCH);
    if (writes.length === 0) return; // an earlier turn has sent everything
    await this.withSession((session) => this.#send(session, writes)).catch((error: unknown) =>
      writes.forEach(({ reject }) => reject(error)),
    );
  }

  async #send(session: PoolClient, [first, ...others]: Write[]): Promise<void> {
    const watchdog = setTimeout(() => session.connection.stream.destroy(), this.timeout + LATENESS);
    const send = ({ text, values }: Write) =>
      session.query<object>(text, [...values]).finally(() => watchdog.refresh());
    const sent: Promise<unknown>[] = [];
    const setLockTimeout = (value: number) => void sent.push(session.query(`set lock_timeout = ${value}`));
    const { patience } = this.turns;
    const waited = Math.round(performance.now() - first!.since);
    const isLate = waited > LOCK_TIMEOUT;

    void gather(session);
    if (isLate) setLockTimeout(Math.max(LOCK_TIMEOUT, patience - waited));
    const response = send(first!);
    const wasLocked = response.then(() => false, isLocked);
    sent.push(this.#settle(first!, response, isWorthRetry));
    if (others.length > 0) setLockTimeout(LOCK_TIMEOUT);
    // If the first one timed out too, the lock is held for long, and retrying the others would not help.
    const isWorthRetryOfOther = async (error: unknown) =>
      isWorthRetry(error) || (isLocked(error) && !(await wasLocked));
    for (const write of others) sent.push(this.#settle(write, send(write), isWorthRetryOfOther));
    if (isLate || others.length > 0) setLockTimeout(patience);

    const errors = await Promise.all(sent).finally(() => clearTimeout(watchdog));
    const unfit = errors.find(isUnfit);
    if (unfit !== undefined) throw unfit; // so that the session is closed
  }

  /** Passes the response on, or retries. @returns the error, if there was one */
  async #settle(
    { userId, text, values, resolve, reject }: Write,
    response: Promise<{ rows: object[] }>,
    mayRetry: (error: unknown) => boolean | Promise<boolean>,
  ): Promise<unknown> {
    try {
      resolve((await response).rows);
      return undefined;
    } catch (error) {
      if (await mayRetry(error)) this.retry(userId, text, values).then(resolve, reject);
      else reject(error);
      return error;
    }
  }
}
