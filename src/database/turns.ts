import { NoTurnError } from './errors.js';
import type { Value } from './queries.js';

/** How many sessions of the pool a user may use at a time, so that nobody keeps the others from it. */
export const PLACES = 2;

/** The answer to a passenger that is to wait for a turn of its own after all. */
export const AGAIN = Symbol('again');

/** A statement that may be sent right behind another of the same user, in that one's turn. */
export interface Statement {
  text: string;
  values: readonly Value[];
}

/** A statement that waits, and is served in another one's turn. */
export interface Passenger extends Statement {
  answer(rows: Promise<unknown>): void;
}

interface Waiting {
  places: number;
  statement?: Statement;
  /** @param rows where another one's turn served it */
  enter(rows?: Promise<unknown>): void;
}

/** First come, first served for each user. */
export class Turns {
  readonly #users = new Map<number, { free: number; queue: Waiting[] }>();

  /** @param patience milliseconds that anyone waits for a turn */
  constructor(private readonly patience: number) {}

  get waitingCount(): number {
    return [...this.#users.values()].reduce((sum, { queue }) => sum + queue.length, 0);
  }

  /** How many users have a turn. */
  get userCount(): number {
    return this.#users.size;
  }

  /**
   * Runs work while it holds places of a user.
   *
   * @param statement what the work does, if another one's turn may serve it as a passenger
   * @throws NoTurnError if there was no turn in time; the work was not begun
   */
  async run<Result>(
    userId: number,
    places: number,
    work: () => Promise<Result>,
    statement?: Statement,
  ): Promise<Result> {
    const start = performance.now();
    let result = await this.#enter(userId, places, this.patience, statement);
    if (result === AGAIN) result = await this.#enter(userId, places, this.patience - (performance.now() - start));
    if (result !== undefined) return result as Result;
    try {
      return await work();
    } finally {
      this.#admit(userId, places);
    }
  }

  /** For who has a turn: takes the statements that are next out of the queue. Each must be answered before the turn ends. */
  passengers(userId: number, max: number): Passenger[] {
    const { queue } = this.#users.get(userId)!;
    const end = queue.findIndex(({ statement }) => statement === undefined);
    return queue
      .splice(0, Math.min(max, end === -1 ? Infinity : end))
      .map(({ statement, enter }) => ({ ...statement!, answer: enter }));
  }

  /** @returns nothing for a turn, or what a passenger was answered */
  #enter(userId: number, places: number, patience: number, statement?: Statement): Promise<unknown> {
    const user = this.#users.get(userId) ?? { free: PLACES, queue: [] };
    this.#users.set(userId, user);
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        user.queue.splice(user.queue.indexOf(waiting), 1);
        this.#admit(userId); // who stands behind may need fewer places
        reject(new NoTurnError());
      };
      const timer = setTimeout(giveUp, patience);
      const enter = (rows?: Promise<unknown>) => {
        clearTimeout(timer);
        resolve(rows);
      };
      const waiting = { places, statement, enter };
      user.queue.push(waiting);
      this.#admit(userId);
    });
  }

  #admit(userId: number, freed = 0): void {
    const user = this.#users.get(userId)!;
    user.free += freed;
    while (user.queue.length > 0 && user.queue[0]!.places <= user.free) {
      const next = user.queue.shift()!;
      user.free -= next.places;
      next.enter();
    }
    if (user.free === PLACES) this.#users.delete(userId);
  }
}
