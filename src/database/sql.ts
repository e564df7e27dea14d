import type { Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { ask, retrying, Sessions, type Queries, type Value } from './queries.js';
import { SharedSessions, type Sharing } from './shared-sessions.js';

/** The smallest pools that can spare a session for short reads, and two more for longer ones. */
const SHARING_POOL = 2;
const SHARING_POOL_LONG = 6;

/** One session has all of them: with more, few are served sooner and some wait many times longer. */
const SHORT_READS: Sharing = { sessions: 1, window: 200 };

/** Two sessions, so that one is not all there is, and few at a time, so that none is stuck behind a slow one. */
const LONG_READS: Sharing = { sessions: 2, window: 4 };

/** A user's writes wait for each other anyway, and for what locks the user's row: no more of the pool than this may. */
const WRITES_OF_A_USER: Sharing = { sessions: 2, window: 8, yields: true };

interface TransactionOptions {
  /** Whose rows are written, where they are one user's. */
  userId?: number;
  /** Milliseconds that each statement may take, where they need more than others. */
  timeout?: number;
}

/**
 * The way of every repository to PostgreSQL. A statement by itself is a transaction. Writers of the service can't lock
 * each other out, since each locks its user's row first; a writer outside can, and is waited out here.
 */
export class Sql extends Sessions {
  #shared?: SharedSessions;
  #sharedLong?: SharedSessions;
  readonly #writes = new Map<number, SharedSessions>();

  /**
   * @param session that of a transaction; a free one of the pool for each query if left out
   * @param timeout milliseconds that a statement may take
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly session?: PoolClient,
    private readonly timeout = timeoutOf(dataSource),
  ) {
    super();
  }

  /** For reads that take well below a millisecond and wait for no lock. */
  get shared(): Queries {
    if (!this.canShare(SHARING_POOL)) return this;
    return (this.#shared ??= this.share(SHORT_READS));
  }

  /** For reads that take about a millisecond and wait for no lock. */
  get sharedLong(): Queries {
    if (!this.canShare(SHARING_POOL_LONG)) return this;
    return (this.#sharedLong ??= this.share(LONG_READS));
  }

  /** For what writes a user's rows. */
  writes(userId: number): Sessions {
    if (!this.canShare(1)) return this;
    let writes = this.#writes.get(userId);
    if (writes === undefined) {
      writes = this.share(WRITES_OF_A_USER, () => this.#writes.delete(userId));
      this.#writes.set(userId, writes);
    }
    return writes;
  }

  /** Where the database is, for connections outside the pool. */
  get url(): string {
    const { options } = this.dataSource;
    return 'url' in options && options.url !== undefined ? options.url : '';
  }

  /** The connections of the pool, and how many statements wait for one, or for their turn on a shared one. */
  get connections(): { busy: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    const sharing = [this.#shared, this.#sharedLong, ...this.#writes.values()];
    const waiting = sharing.reduce((sum, shared) => sum + (shared?.waitingCount ?? 0), waitingCount);
    return { busy: totalCount - idleCount, idle: idleCount, waiting };
  }

  override query<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.alone((session) => ask<Row>(session, text, values, this.timeout));
  }

  override alone<Result>(work: (session: PoolClient) => Promise<Result>): Promise<Result> {
    if (this.session !== undefined) return work(this.session);
    return retrying(async () => {
      const session = await this.pool.connect();
      session.on('error', ignore);
      try {
        return await work(session);
      } finally {
        session.off('error', ignore);
        session.release();
      }
    });
  }

  /**
   * Runs statements all or none.
   *
   * @param work may run more than once; all its queries go through what it is given
   */
  transaction<Result>(
    work: (sql: Sql) => Promise<Result>,
    { userId, timeout = this.timeout }: TransactionOptions = {},
  ): Promise<Result> {
    const sessions = userId === undefined ? this : this.writes(userId);
    return sessions.alone(async (session) => {
      const sql = new Sql(this.dataSource, session, timeout);
      try {
        await sql.query('begin');
        if (timeout !== this.timeout) await sql.query(`set local statement_timeout = ${timeout}`);
        const result = await work(sql);
        await sql.query('commit');
        return result;
      } catch (error) {
        await sql.query('rollback').catch(() => undefined); // else the session is lost, and the transaction with it
        throw error;
      }
    });
  }

  /** A transaction has just its own session, and sharing needs the driver's pipeline mode. */
  private canShare(smallestPool: number): boolean {
    const { extra, poolSize = 0 } = this.dataSource.options;
    return this.session === undefined && extra.pipeline && poolSize >= smallestPool;
  }

  private share(sharing: Sharing, onIdle?: () => void): SharedSessions {
    return new SharedSessions(this.pool, sharing, this.timeout, onIdle);
  }

  private get pool(): Pool {
    return (this.dataSource.driver as PostgresDriver).master as Pool;
  }
}

/** For the loss of a session in use: its statement fails too, and the pool does not take it back. */
const ignore = () => undefined;

/** The time that the server gives each statement, in milliseconds. */
const timeoutOf = ({ options }: DataSource) => Number(options.extra.statement_timeout);
