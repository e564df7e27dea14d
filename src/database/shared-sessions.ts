import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { NoTurnError } from './errors.js';
import { ask, retrying, Sessions, type Value } from './queries.js';

/** A lock was not to be had in time; a statement was cancelled, by a time-out or from here. */
const OUT_OF_TIME = new Set(['55P03', '57014']);

/** Milliseconds between two cancellations on a session. */
const CANCEL_EVERY = 2;

/** How statements share sessions. */
export interface Sharing {
  /** How many sessions of the pool are taken at most. */
  sessions: number;
  /** How many statements are sent on a session at most before the first of them is answered. */
  window: number;
  /** Whether a session goes back to the pool, once its statements are answered, as soon as somebody waits for one. */
  yields?: boolean;
}

/**
 * Runs statements, many at a time, over a session or two of the pool. They are sent without waiting for the answers to
 * those before (the driver's pipeline mode), all of one turn of the event loop in one write: most of what a short
 * statement costs is not its work but that either side is woken for it.
 *
 * A statement waits for those before it on its session; what has not been sent yet goes to the first session that has
 * room for it. Each is a transaction by itself; what one is refused for, the others don't notice.
 */
export class SharedSessions extends Sessions {
  readonly #sessions = new Set<SharedSession>();
  readonly #waiting: { places: number; resolve: (session: SharedSession) => void }[] = [];

  /**
   * @param timeout milliseconds that the server gives a statement
   * @param onIdle called when nothing is left to do
   */
  constructor(
    private readonly pool: Pool,
    private readonly sharing: Sharing,
    private readonly timeout: number,
    private readonly onIdle: () => void = () => undefined,
  ) {
    super();
  }

  /** How many statements could not be sent yet. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  override query<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#on(1, (session) => session.ask<Row>(text, values, this.timeout));
  }

  override alone<Result>(work: (session: PoolClient) => Promise<Result>): Promise<Result> {
    return this.#on(this.sharing.window, async (session) => work(await session.client));
  }

  /**
   * @param places how many of a session's window are taken
   * @throws NoTurnError if they are not free within the time that the pool lets anyone wait for a session
   */
  #on<Result>(places: number, work: (session: SharedSession) => Promise<Result>): Promise<Result> {
    return retrying(async () => {
      const session = this.#enter(places) ?? (await this.#turn(places));
      try {
        return await work(session);
      } finally {
        this.#leave(session, places);
      }
    });
  }

  #enter(places: number): SharedSession | undefined {
    const session = this.#sessions.size < this.sharing.sessions ? this.#open() : this.#leastBusy(places);
    if (session !== undefined) session.pending += places;
    return session;
  }

  async #turn(places: number): Promise<SharedSession> {
    const start = performance.now();
    const session = await new Promise<SharedSession>((resolve) => this.#waiting.push({ places, resolve }));
    const { connectionTimeoutMillis: patience = Infinity } = this.pool.options;
    if (performance.now() - start <= patience) return session;
    this.#leave(session, places);
    throw new NoTurnError();
  }

  #leave(session: SharedSession, places: number): void {
    session.pending -= places;
    if (session.pending === 0) {
      this.#sessions.delete(session);
      session.release();
    }
    while (this.#waiting.length > 0) {
      const next = this.#enter(this.#waiting[0]!.places);
      if (next === undefined) return;
      this.#waiting.shift()!.resolve(next);
    }
    if (this.#sessions.size === 0) this.onIdle();
  }

  #open(): SharedSession {
    const session = new SharedSession(this.pool);
    this.#sessions.add(session);
    return session;
  }

  #leastBusy(places: number): SharedSession | undefined {
    const { window, yields = false } = this.sharing;
    const isWanted = yields && this.pool.waitingCount > 0;
    let least: SharedSession | undefined;
    for (const session of this.#sessions) {
      const hasRoom = session.pending + places <= window && !session.isOver && !(isWanted && session.isOpen);
      if (hasRoom && (least === undefined || session.pending < least.pending)) least = session;
    }
    return least;
  }
}

/** A session of the pool from its first statement until none is pending. */
class SharedSession {
  /** How many places of its window are taken. */
  pending = 0;
  isOpen = false;
  /** Whether nothing more may be asked of it: it broke, or what is left is being cancelled. */
  isOver = false;
  readonly client: Promise<PoolClient>;
  #isGathering = false;

  constructor(private readonly pool: Pool) {
    this.client = pool.connect();
    this.client.then((client) => {
      this.isOpen = true;
      client.on('error', this.#end);
    }, this.#end);
  }

  async ask<Row>(text: string, values: readonly Value[], timeout: number): Promise<Row[]> {
    const client = await this.client;
    this.#gather(client);
    try {
      return await ask<Row>(client, text, values, timeout);
    } catch (error) {
      const isOutOfTime = error instanceof DatabaseError && OUT_OF_TIME.has(String(error.code));
      if (isOutOfTime && !this.isOver) await this.#cancelRest(client);
      throw error;
    }
  }

  /** Gives it back. */
  release(): void {
    this.client.then(
      (client) => {
        client.off('error', this.#end);
        client.release();
      },
      () => undefined,
    );
  }

  readonly #end = () => {
    this.isOver = true;
  };

  /** Holds back what is written until all requests that have arrived were read. */
  #gather({ connection: { stream } }: PoolClient): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    stream.cork();
    setImmediate(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  /** What stands behind a statement that ran out of time would likely wait as long, one after the other. */
  async #cancelRest(client: PoolClient): Promise<void> {
    this.#end();
    const { processID } = client as PoolClient & { processID: number };
    const cancel = () => this.pool.query('select from pg_cancel_backend($1) was_sent where was_sent', [processID]);
    // Between two statements PostgreSQL forgets that it was told to cancel, so it may have to be told again.
    while (this.pending > 1 && (await cancel().catch(() => undefined))?.rowCount === 1) await sleep(CANCEL_EVERY);
  }
}
