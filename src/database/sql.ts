import type { Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { CursorPage, Page } from '../common/json.js';
import { isSpread } from './cluster.js';
import { asInvalidCursor, invalidCursor, readCursor, writeCursor } from './cursors.js';
import { isUnfit } from './errors.js';
import { isDeep, offsetOf, type CursorPages, type CursorRow, type PageRequest, type PageRow } from './pages.js';
import { PreparingPool } from './prepared.js';
import { replicaOf, type Replica } from './replica.js';
import { ask, Queries, retrying, Runner, type Value } from './queries.js';
import type { SharedReads } from './shared-reads.js';
import { PLACES, Turns } from './turns.js';

/** Milliseconds that what is looked for among many rows may take: others want the processor too. */
const HEAVY_TIMEOUT = 3_000;

/** Whose rows statements read or write. */
export interface Owner {
  userId: number;
  /** The transaction they are part of: of a request with an `Idempotency-Key`, or of `ifUnchanged()`. */
  transaction?: Sql;
}

/** Whose sign-ins are: nobody's yet. */
export const NOBODY: Owner = { userId: 0 };

interface TransactionOptions {
  /** Whose rows are read or written, where they are one user's. */
  owner?: Owner;
  /** Milliseconds that each statement may take, where they need more or fewer than others. */
  timeout?: number;
}

/** The turns of everything that uses a pool. */
const turnsOf = new WeakMap<Pool, Turns>();

/**
 * The way of every repository to PostgreSQL. A statement by itself is a transaction. Writers of the service can't lock
 * each other out, since each locks its user's row first; a writer outside can, and is waited out here.
 *
 * What is a user's goes through `of()`, `shared()`, `heavy()` or a transaction of the user, which all know how much of
 * the pool the user has already; what is called on this itself has no limit and is for operators.
 */
export class Sql extends Queries {
  /**
   * @param session that of a transaction; if omitted, a free one of the pool for each query
   * @param timeout milliseconds that a statement may take
   * @param ownPool that of a replica
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly session?: PoolClient,
    private readonly timeout = timeoutOf(dataSource),
    private readonly ownPool?: Pool,
  ) {
    super();
  }

  /** For writes of a user's rows. In a transaction that is open already, one that is refused leaves it usable. */
  writes(owner: Owner): Queries {
    const { transaction } = owner;
    if (transaction === undefined) return this.of(owner);
    return new Runner((text, values) => transaction.recoverable(text, values));
  }

  /** For what else a user reads or writes. */
  of(owner: Owner): Queries {
    const within = this.within(owner);
    if (within.session !== undefined) return within;
    return new Runner((text, values) =>
      this.alone((session) => ask(session, text, values, this.timeout), owner.userId),
    );
  }

  /** For a user's reads that take well below a millisecond and wait for no lock. */
  shared(owner: Owner): Queries {
    return this.through(this.reads?.short, owner);
  }

  /** For a user's reads that take about a millisecond and wait for no lock. Their rows have a `revision`. */
  sharedLong(owner: Owner): Queries {
    return this.replicated(owner, (sql) => sql.through(sql.reads?.long, owner));
  }

  /**
   * For a user's reads that may take seconds: one at a time, and not for as long as others. Each is planned for its
   * user: the plan for all of them may sort a million wins where an index has them in order. Their rows have a `revision`.
   */
  heavy(owner: Owner): Queries {
    return this.replicated(owner, (sql) => sql.planned(owner));
  }

  private planned(owner: Owner): Queries {
    const within = this.within(owner);
    if (within.session !== undefined) return within;
    const timeout = Math.min(this.timeout, HEAVY_TIMEOUT);
    const run = async <Row>(sql: Sql, text: string, values: readonly Value[]) => {
      await sql.query('set local plan_cache_mode = force_custom_plan');
      return sql.query<Row>(text, values);
    };
    return new Runner((text, values) => this.transaction((sql) => run(sql, text, values), { owner, timeout }));
  }

  /**
   * Reads one page of a list.
   *
   * @param list its SQL, of `jsonPage()`
   * @param values what the SQL takes beyond the user and the page
   * @param shared runs it, unless the page is deep
   */
  async page<T>(
    list: string,
    owner: Owner,
    page: PageRequest,
    values: Value[] = [],
    shared: Queries = this.shared(owner),
  ): Promise<Page<T>> {
    const queries = isDeep(page) ? this.heavy(owner) : shared;
    const { json, total, revision } = await queries.one<PageRow>(list, [
      owner.userId,
      page.per_page,
      offsetOf(page),
      ...values,
    ]);
    return new Page<T>(json, total, page.page, page.per_page, revision ?? undefined);
  }

  /**
   * Reads the page of a list that begins after a cursor.
   *
   * @param list its SQL, of `jsonPageAfter()`
   * @param cursor what the client sent; empty for the first page
   * @param view what the cursor is bound to: sort and filters
   * @param values what the SQL takes beyond the user, the limit and the cursor
   * @throws ValidationError if the cursor is not one of this view
   */
  async pageAfter<T>(
    list: CursorPages,
    owner: Owner,
    { per_page, cursor, view }: { per_page: number; cursor: string; view: string },
    values: Value[],
    queries: Queries,
  ): Promise<CursorPage<T>> {
    const keys = cursor === '' ? null : readCursor(cursor, view);
    if (keys !== null && keys.length !== list.termCount) throw invalidCursor();
    const text = keys === null ? list.first : list.others;
    const row = await queries.one<CursorRow>(text, [owner.userId, per_page, keys, ...values]).catch(asInvalidCursor());
    return new CursorPage<T>(
      row.json,
      row.next === null ? undefined : writeCursor(row.next, view),
      row.isFull,
      per_page,
      row.revision,
    );
  }

  /** Whether each user's rows are on one of several machines: there, an insert can't be part of another statement. */
  get isSpread(): boolean {
    return isSpread(this.dataSource);
  }

  /** Where the database is, for connections outside the pool. */
  get url(): string {
    const { options } = this.dataSource;
    return 'url' in options && options.url !== undefined ? options.url : '';
  }

  /** The connections of the pool and those that reads share, and how many statements wait for one or for their turn. */
  get connections(): { busy: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    const shared = Object.values(this.reads ?? {}).filter(({ isOpen }) => isOpen);
    const busy = shared.filter(({ pending }) => pending > 0).length;
    return {
      busy: totalCount - idleCount + busy,
      idle: idleCount + shared.length - busy,
      waiting: waitingCount + this.turns.waitingCount,
    };
  }

  /** How many users use the pool or wait for it. */
  get userCount(): number {
    return this.turns.userCount;
  }

  /** How many reads used a replica, did not since it was behind, or failed there; none without one. */
  get replicaReads(): Replica['counts'] | undefined {
    return replicaOf(this.dataSource)?.counts;
  }

  override query<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.alone((session) => ask<Row>(session, text, values, this.timeout));
  }

  /**
   * Runs statements all or none. A user's own may be one at a time, with nothing else of the user beside it. In a
   * transaction that is open already, they become part of it.
   *
   * @param work may run more than once; all its queries go through what it is given
   */
  async transaction<Result>(
    work: (sql: Sql) => Promise<Result>,
    { owner, timeout = this.timeout }: TransactionOptions = {},
  ): Promise<Result> {
    const outer = owner === undefined ? this : this.within(owner);
    if (outer.session !== undefined) {
      if (timeout !== outer.timeout) await outer.query(`set local statement_timeout = ${timeout}`);
      return work(new Sql(this.dataSource, outer.session, timeout));
    }
    const begin = timeout === this.timeout ? 'begin' : `begin; set local statement_timeout = ${timeout}`;
    const run = async (session: PoolClient) => {
      const sql = new Sql(this.dataSource, session, timeout);
      try {
        await sql.query(begin);
        const result = await work(sql);
        await sql.query('commit');
        return result;
      } catch (error) {
        await sql.query('rollback').catch(() => undefined); // else the session is lost, and the transaction with it
        throw error;
      }
    };
    return this.alone(run, owner?.userId, PLACES);
  }

  /** A statement of a transaction that goes on if PostgreSQL refuses it, so that the reason can be looked up. */
  private async recoverable<Row>(text: string, values: readonly Value[]): Promise<Row[]> {
    await this.query('savepoint statement');
    try {
      return await this.query<Row>(text, values);
    } catch (error) {
      await this.query('rollback to savepoint statement').catch(() => undefined);
      throw error;
    }
  }

  /** Gives work a session that nothing else uses meanwhile, in the user's turn, which a further try does not leave. */
  private alone<Result>(work: (session: PoolClient) => Promise<Result>, userId?: number, places = 1): Promise<Result> {
    if (this.session !== undefined) return work(this.session);
    const run = () => retrying(() => withSession(this.pool, work));
    return userId === undefined ? run() : this.turns.run(userId, places, run);
  }

  /** What has no room on the shared connection, or was on one that was lost, takes the user's turn. */
  private through(reads: SharedReads | undefined, owner: Owner): Queries {
    const own = this.of(owner);
    if (own instanceof Sql || reads === undefined) return own;
    return new Runner(async (text, values) => {
      try {
        const rows = reads.query(owner.userId, text, values);
        if (rows !== undefined) return (await rows) as never;
      } catch (error) {
        if (!isUnfit(error)) throw error;
      }
      return own.query(text, values);
    });
  }

  /** Reads on the replica if there is one that has everything the user has written. */
  private replicated(owner: Owner, wayOf: (sql: Sql) => Queries): Queries {
    const own = wayOf(this);
    const replica = replicaOf(this.dataSource);
    if (own instanceof Sql || replica === undefined) return own;
    const there = wayOf(new Sql(this.dataSource, undefined, this.timeout, replica.pool));
    const read = async <Row>(text: string, values: readonly Value[]) =>
      (await replica.read(() => there.query<Row>(text, values), this.shared(owner), owner.userId)) ??
      own.query<Row>(text, values);
    return new Runner(read);
  }

  /** The transaction that the owner's statements are part of, or else this. */
  private within({ transaction }: Owner): Sql {
    return transaction ?? this;
  }

  private get reads(): PreparingPool['reads'] | undefined {
    return this.pool instanceof PreparingPool ? this.pool.reads : undefined;
  }

  private get turns(): Turns {
    let turns = turnsOf.get(this.pool);
    if (turns === undefined)
      turnsOf.set(this.pool, (turns = new Turns(this.pool.options.connectionTimeoutMillis ?? 0)));
    return turns;
  }

  private get pool(): Pool {
    return this.ownPool ?? (this.dataSource.driver as unknown as { master: Pool }).master;
  }
}

/** Gives work a session of the pool, and gives it up where it is of no more use. */
async function withSession<Result>(pool: Pool, work: (session: PoolClient) => Promise<Result>): Promise<Result> {
  const session = await pool.connect();
  let isLost = false;
  session.on('error', ignore);
  try {
    return await work(session);
  } catch (error) {
    isLost = isUnfit(error);
    throw error;
  } finally {
    session.off('error', ignore);
    session.release(isLost);
  }
}

/** For the loss of a session in use: its statement fails too, and the pool does not take it back. */
const ignore = () => undefined;

/** The time that the server gives each statement, in milliseconds. */
const timeoutOf = ({ options }: DataSource) => Number(options.extra.statement_timeout);
