import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, type Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { NoTurnError } from './errors.js';
import type { Tell } from './migrate.js';
import type { Queries } from './queries.js';
import { REVISION } from './revision.js';

/** Milliseconds that a read may take on the replica, and for which the replica is left alone after it failed. */
const PATIENCE = 4_000;
const REST = 5_000;

/** Milliseconds for which it is believed that the replica follows the primary. */
const PROOF_LASTS = 1_000;

/** Which changes a server has: those of a system, in a database, on a timeline, which a failover forks. */
const origin = (timeline: string) => `concat_ws(' ', system_identifier, current_database(), ${timeline}) as origin`;
const ORIGIN_OF_PRIMARY = `
  select ${origin(`('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int`)} from pg_control_system()`;
const ORIGIN_OF_REPLICA = `select ${origin('timeline_id')} from pg_control_system(), pg_control_checkpoint()`;

/** SQLSTATEs or classes of what is wrong with one statement, and not with the replica. */
const OF_STATEMENT = /^(22|40|57014)/;

/** A row that tells which of the user's revisions it shows. */
interface RevisedRow {
  revision: number | null;
}

/**
 * A streaming replica of the database, for reads that cost much more than to look up the user's revision. What it
 * responds counts only if it shows the revision that the primary has, so that users always see what they have written.
 */
export class Replica {
  /** Reads by how they ended: used, not used because the replica was behind, or failed there. */
  readonly counts = { used: 0, behind: 0, failed: 0 };
  #restsUntil = 0;
  #provenUntil = 0;
  #proof?: Promise<void>;
  #isAway = false;

  /** @param tell is called when the replica is no longer used, and when it is again */
  constructor(
    readonly pool: Pool,
    private readonly tell: Tell = () => undefined,
  ) {}

  /**
   * Reads on the replica.
   *
   * @param read runs a statement there whose rows have a `revision`
   * @param primary runs short reads of the user on the primary
   * @returns the rows, or `undefined` if the primary has to be read
   */
  async read<Row>(read: () => Promise<Row[]>, primary: Queries, userId: number): Promise<Row[] | undefined> {
    if (performance.now() < this.#restsUntil) return undefined;
    const current = primary.first<RevisedRow>(REVISION, [userId]);
    current.catch(() => undefined); // thrown below
    let rows: Row[];
    try {
      await this.#prove(primary);
      rows = await inTime(read());
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
    if (this.#isAway) this.tell('The replica is used again');
    this.#isAway = false;
    const [row] = rows as RevisedRow[];
    const revision = (await current)?.revision;
    const isCurrent = revision !== undefined && row?.revision === revision;
    this.counts[isCurrent ? 'used' : 'behind']++;
    return isCurrent ? rows : undefined;
  }

  /** @throws Error if it doesn't have the primary's changes, whatever its revisions are */
  async #prove(primary: Queries): Promise<void> {
    if (performance.now() < this.#provenUntil) return;
    this.#proof ??= this.#compare(primary).finally(() => (this.#proof = undefined));
    await this.#proof;
  }

  async #compare(primary: Queries): Promise<void> {
    const [wanted, { rows }] = await Promise.all([
      primary.one<{ origin: string }>(ORIGIN_OF_PRIMARY, []),
      inTime(this.pool.query<{ origin: string }>(ORIGIN_OF_REPLICA)),
    ]);
    if (rows[0]?.origin !== wanted.origin) {
      throw new Error('DATABASE_REPLICA_URL names a server that does not follow the one of DATABASE_URL');
    }
    this.#provenUntil = performance.now() + PROOF_LASTS;
  }

  #fail(error: unknown): void {
    this.counts.failed++;
    if (error instanceof NoTurnError || (error instanceof DatabaseError && OF_STATEMENT.test(error.code ?? ''))) return;
    if (this.pool.totalCount === this.pool.options.max && this.pool.waitingCount > 0) return; // others use all of it
    this.#restsUntil = performance.now() + REST;
    this.#provenUntil = 0;
    if (!this.#isAway) this.tell(`The replica is not used for now: ${error instanceof Error ? error.message : error}`);
    this.#isAway = true;
  }
}

/** @throws Error if it takes longer than a replica may */
async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const giveUp = new AbortController();
  const late = sleep(PATIENCE, undefined, { signal: giveUp.signal, ref: false }).then(() => {
    throw new Error('it does not respond');
  });
  return Promise.race([work, late]).finally(() => giveUp.abort());
}

const replicas = new WeakMap<DataSource, Replica>();

/** The replica of a database, if it has one. */
export const replicaOf = (dataSource: DataSource): Replica | undefined => replicas.get(dataSource);

export const setReplica = (dataSource: DataSource, replica: Replica): void => void replicas.set(dataSource, replica);
