import type { Pool, PoolClient } from 'pg';
import { ask, Queries, type Value } from './queries.js';

/** How many reads wait for their answers on a session at most. */
const MAX_PENDING = 200;

/**
 * Runs short reads, many at a time over a session or two of the pool. They are sent without waiting for the answers to
 * those before (the driver's pipeline mode), all of one turn of the event loop in one write: most of what a short read
 * costs is not its work but that either side is woken for it.
 *
 * A read waits for those before it on its session, so only what is done soon and waits for no lock belongs here. Each is
 * a transaction by itself; what one is refused for, the others don't notice.
 */
export class SharedSessions extends Queries {
  readonly #sessions = new Set<SharedSession>();

  /**
   * @param limit how many sessions of the pool are taken at most
   * @param timeout milliseconds that the server gives a statement
   * @param overflow runs what would have to wait too long here
   */
  constructor(
    private readonly pool: Pool,
    private readonly limit: number,
    private readonly timeout: number,
    private readonly overflow: Queries,
  ) {
    super();
  }

  override async query<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    const session = this.#sessions.size < this.limit ? this.#open() : this.#leastBusy();
    return (session.pending < MAX_PENDING ? session : this.overflow).query<Row>(text, values);
  }

  #open(): SharedSession {
    const session = new SharedSession(this.pool, this.timeout, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    return session;
  }

  #leastBusy(): SharedSession {
    return [...this.#sessions].reduce((least, next) => (next.pending < least.pending ? next : least));
  }
}

/** A session of the pool from its first read until none is pending, or until it breaks. */
class SharedSession {
  /** How many reads have not been answered. */
  pending = 0;
  readonly #client: Promise<PoolClient>;
  #isGathering = false;

  /** @param onEnd called when nothing more may be asked of it */
  constructor(
    pool: Pool,
    private readonly timeout: number,
    private readonly onEnd: () => void,
  ) {
    this.#client = pool.connect();
    this.#client.then((client) => client.once('error', onEnd), onEnd);
  }

  async query<Row>(text: string, values: readonly Value[]): Promise<Row[]> {
    this.pending++;
    try {
      const client = await this.#client;
      this.#gather(client);
      return await ask<Row>(client, text, values, this.timeout);
    } finally {
      if (--this.pending === 0) await this.#release();
    }
  }

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

  async #release(): Promise<void> {
    this.onEnd();
    const client = await this.#client;
    client.off('error', this.onEnd);
    client.release();
  }
}
