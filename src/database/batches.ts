import { DatabaseError, type PoolClient } from 'pg';
import { isUnfit } from './errors.js';
import { gather, isWorthRetry, LATENESS, type Value } from './queries.js';
import type { Turns } from './turns.js';

/** How many short writes of a user are sent at once. */
const SIZE = 16;

/**
 * Milliseconds that each but the first waits for a lock: behind a lock that stays, their waits would add up. The first has
 * what is left of the time that anyone waits.
 */
const LOCK_TIMEOUT = 50;

interface Write {
  userId: number;
  /** Since when it waits, in milliseconds of `performance.now()`. */
  since: number;
  text: string;
  values: readonly Value[];
  resolve(rows: object[]): void;
  reject(error: unknown): void;
}

const isLocked = (error: unknown) => error instanceof DatabaseError && error.code === '55P03';

/**
 * Short writes of a user. Whoever has a turn sends those that wait too, over one session and without waiting for the
 * answers to those before (the driver's pipeline mode). Each is a transaction by itself. One that others were in the way
 * of is sent again in a turn of its own.
 */
export class Batches {
  readonly #waiting = new Map<number, Write[]>();

  /**
   * @param use gives work a session of the pool
   * @param timeout milliseconds that the server gives a statement
   * @param again runs a statement in a turn of its own
   */
  constructor(
    private readonly turns: Turns,
    private readonly use: (work: (session: PoolClient) => Promise<void>) => Promise<void>,
    private readonly timeout: number,
    private readonly again: (userId: number, text: string, values: readonly Value[]) => Promise<object[]>,
  ) {}

  /** @returns the rows */
  query(userId: number, text: string, values: readonly Value[]): Promise<object[]> {
    return new Promise((resolve, reject) => {
      const write = { userId, since: performance.now(), text, values, resolve, reject };
      const queue = this.#waiting.get(userId) ?? [];
      this.#waiting.set(userId, queue);
      queue.push(write);
      this.turns
        .run(userId, 1, () => this.#sendNext(userId))
        .catch((error: unknown) => {
          const place = queue.indexOf(write); // or a turn before has sent it
          if (place !== -1) this.#take(userId, place, 1).forEach(({ reject: tell }) => tell(error));
        });
    });
  }

  #take(userId: number, from: number, count: number): Write[] {
    const queue = this.#waiting.get(userId) ?? [];
    const taken = queue.splice(from, count);
    if (queue.length === 0) this.#waiting.delete(userId);
    return taken;
  }

  /** Nothing may be left: a turn before has sent what this one was for. */
  async #sendNext(userId: number): Promise<void> {
    const writes = this.#take(userId, 0, SIZE);
    if (writes.length === 0) return;
    await this.use((session) => this.#send(session, writes)).catch((error: unknown) =>
      writes.forEach(({ reject }) => reject(error)),
    );
  }

  async #send(session: PoolClient, [first, ...others]: Write[]): Promise<void> {
    const deadline = setTimeout(() => session.connection.stream.destroy(), this.timeout + LATENESS);
    const ask = ({ text, values }: Write) => session.query<object>(text, [...values]).finally(() => deadline.refresh()); // the next one has its turn
    const settle = async (write: Write, asked: Promise<{ rows: object[] }>, mayRepeat: (error: unknown) => unknown) => {
      try {
        write.resolve((await asked).rows);
        return undefined;
      } catch (error) {
        if (await mayRepeat(error))
          this.again(write.userId, write.text, write.values).then(write.resolve, write.reject);
        else write.reject(error);
        return error;
      }
    };
    void gather(session);
    const sent: Promise<unknown>[] = [];
    const setLockTimeout = (value: number) => void sent.push(session.query(`set lock_timeout = ${value}`));
    const waited = Math.round(performance.now() - first!.since);
    const hasWaited = waited > LOCK_TIMEOUT;
    if (hasWaited) setLockTimeout(Math.max(LOCK_TIMEOUT, this.turns.patience - waited));
    const asked = ask(first!);
    const wasLocked = asked.then(() => false, isLocked);
    sent.push(settle(first!, asked, isWorthRetry));
    if (others.length > 0) setLockTimeout(LOCK_TIMEOUT);
    for (const write of others)
      sent.push(
        settle(write, ask(write), async (error) => isWorthRetry(error) || (isLocked(error) && !(await wasLocked))),
      );
    if (hasWaited || others.length > 0) setLockTimeout(this.turns.patience);
    const unfit = (await Promise.all(sent).finally(() => clearTimeout(deadline))).find(isUnfit);
    if (unfit !== undefined) throw unfit; // so that the session is given up
  }
}
