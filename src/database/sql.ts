import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, type Pool, type PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { ask, Queries, type Value } from './queries.js';
import { SharedSessions } from './shared-sessions.js';

/** Deadlock, and "could not be put in order with others": nothing was written, and the next try will likely work. */
const WORTH_A_RETRY = new Set(['40P01', '40001']);
const TRIES = 4;

/** The smallest pools that can spare a session for short reads, and two more for longer ones. */
const SHARING_POOL = 2;
const SHARING_POOL_LONG = 6;

/**
 * The way of every repository to PostgreSQL. A statement by itself is a transaction. Writers of the service can't lock
 * each other out, since each locks its user's row first; a writer outside can, and is waited out here.
 */
export class Sql extends Queries {
  #shared?: SharedSessions;
  #sharedLong?: SharedSessions;

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

  /**
   * For reads that take well below a millisecond and wait for no lock. One session has them all: with more, few are
   * served sooner and some wait many times longer.
   */
  get shared(): Queries {
    if (!this.canShare(SHARING_POOL)) return this;
    return (this.#shared ??= new SharedSessions(this.pool, 1, this.timeout, this));
  }

  /** For reads that take about a millisecond and wait for no lock: two sessions, so that one is not all there is. */
  get sharedLong(): Queries {
    if (!this.canShare(SHARING_POOL_LONG)) return this;
    return (this.#sharedLong ??= new SharedSessions(this.pool, 2, this.timeout, this));
  }

  /** Where the database is, for connections outside the pool. */
  get url(): string {
    const { options } = this.dataSource;
    return 'url' in options && options.url !== undefined ? options.url : '';
  }

  /** The connections of the pool, and how many queries wait for one. */
  get connections(): { busy: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  override async query<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    if (this.session !== undefined) return ask<Row>(this.session, text, values, this.timeout);
    return this.inSession((session) => ask<Row>(session, text, values, this.timeout));
  }

  /**
   * Runs statements all or none.
   *
   * @param work may run more than once; all its queries go through what it is given
   * @param timeout milliseconds that each of its statements may take, where they need more than others
   */
  transaction<Result>(work: (sql: Sql) => Promise<Result>, timeout = this.timeout): Promise<Result> {
    return this.inSession(async (session) => {
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

  private get pool(): Pool {
    return (this.dataSource.driver as PostgresDriver).master as Pool;
  }

  private inSession<Result>(work: (session: PoolClient) => Promise<Result>): Promise<Result> {
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
}

/** For the loss of a session in use: its statement fails too, and the pool does not take it back. */
const ignore = () => undefined;

/** The time that the server gives each statement, in milliseconds. */
const timeoutOf = ({ options }: DataSource) => Number(options.extra.statement_timeout);

async function retrying<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof DatabaseError ? error.code : undefined;
      if (attempt === TRIES || !WORTH_A_RETRY.has(String(code))) throw error;
      await sleep(Math.random() * 20 * 2 ** attempt);
    }
  }
}
