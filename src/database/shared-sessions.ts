import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { LATENESS, Queries, type Value } from './queries.js';

/**
 * Runs short reads, many at a time over a few sessions of the pool. They are sent without waiting for the answers to
 * those before (the driver's pipeline mode), all of one turn of the event loop in one write: most of what a short read
 * costs is not its work but that either side is woken for it.
 *
 * A read waits for those before it on its session, so only what takes about a millisecond and waits for no lock belongs
 * here. Each is a transaction by itself; what one is refused for, the others don't notice.
 */
export class SharedSessions extends Queries {
  readonly #sessions = new Set<SharedSession>();

  /**
   * @param limit how many sessions of the pool may be shared; the others stay free for all else
   * @param timeout milliseconds that the server gives a statement
   */
  constructor(
    private readonly pool: Pool,
    private readonly limit: number,
    private readonly timeout: number,
  ) {
    super();
  }

  override async query<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    const session = this.#sessions.size < this.limit ? this.#open() : this.#leastBusy();
    return session.query<Row>(text, values);
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
      const { stream } = client.connection;
      this.#gather(stream);
      const deadline = setTimeout(() => stream.destroy(), this.timeout + LATENESS);
      try {
        return (await client.query<Row & QueryResultRow>(text, [...values])).rows;
      } finally {
        clearTimeout(deadline);
      }
    } finally {
      if (--this.pending === 0) await this.#release();
    }
  }

  /** Holds back what is written until all requests that have arrived were read. */
  #gather(stream: PoolClient['connection']['stream']): void {
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
