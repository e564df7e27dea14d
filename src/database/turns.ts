import { NoTurnError } from './errors.js';

/** How many sessions of the pool a user may use at a time, so that no user takes all of them. */
export const PLACES = 2;

interface Waiting {
  places: number;
  enter(): void;
}

/** Limits how many sessions each user uses at a time. Further work of the user waits: first come, first served. */
export class Turns {
  readonly #users = new Map<number, { free: number; queue: Waiting[] }>();

  /** @param patience milliseconds to wait for a turn */
  constructor(readonly patience: number) {}

  get waitingCount(): number {
    return [...this.#users.values()].reduce((sum, { queue }) => sum + queue.length, 0);
  }

  /** How many users have or wait for a turn. */
  get userCount(): number {
    return this.#users.size;
  }

  /**
   * Runs work that takes up so many of the user's places.
   *
   * @throws NoTurnError if waiting for them timed out; then the work was not started
   */
  async run<Result>(userId: number, places: number, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(userId, places);
    try {
      return await work();
    } finally {
      this.#admit(userId, places);
    }
  }

  #enter(userId: number, places: number): Promise<void> {
    const user = this.#users.get(userId) ?? { free: PLACES, queue: [] };
    this.#users.set(userId, user);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        user.queue.splice(user.queue.indexOf(waiting), 1);
        this.#admit(userId); // the next in the queue may need fewer places
        reject(new NoTurnError());
      }, this.patience);
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const waiting = { places, enter };
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
