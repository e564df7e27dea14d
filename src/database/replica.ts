import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { DataSource } from 'typeorm';
import type { Tell } from './migrate.js';

/** Milliseconds that a read may take on the replica, and for which it is left alone when one took longer or it was lost. */
const PATIENCE = 4_000;
const REST = 5_000;

/** Milliseconds between two attempts to reach a replica that was not there at the start. */
const RETRY_AFTER = 1_000;

/** A row that tells which of the user's revisions it shows. */
interface RevisedRow {
  revision: number | null;
}

/** The SQLSTATE of a statement that timed out. It would take as long on the primary. */
const TIMED_OUT = '57014';

/**
 * A streaming replica of the database, for reads that cost much more than to look up the user's revision. What it
 * responds counts only if it shows the revision that the primary has, so that users always see what they have written.
 */
export class Replica {
  /** Reads by how they ended: used, not used because the replica was behind, or failed there. */
  readonly counts = { used: 0, behind: 0, failed: 0 };
  #restsUntil = 0;
  #isEnding = false;

  constructor(readonly dataSource: DataSource) {}

  /** Connects, now or when the replica is there. */
  async open(tell?: Tell): Promise<void> {
    try {
      await this.dataSource.initialize();
    } catch (error) {
      tell?.(
        `Reads use the primary until the replica can be reached: ${error instanceof Error ? error.message : error}`,
      );
      void this.#reopen();
    }
  }

  async #reopen(): Promise<void> {
    while (!this.#isEnding && !this.dataSource.isInitialized) {
      await sleep(RETRY_AFTER, undefined, { ref: false });
      if (!this.#isEnding) await this.dataSource.initialize().catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    this.#isEnding = true;
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  /**
   * Reads on the replica.
   *
   * @param read runs a statement there whose rows have a `revision`
   * @param lookUp finds the user's revision on the primary
   * @returns the rows, or `undefined` if the primary has to be read
   * @throws DatabaseError if the statement timed out
   */
  async read<Row>(read: () => Promise<Row[]>, lookUp: () => Promise<{ revision: number }>): Promise<Row[] | undefined> {
    if (!this.dataSource.isInitialized || performance.now() < this.#restsUntil) return undefined;
    try {
      const [rows, { revision }] = await Promise.all([this.#inTime(read()), lookUp()]);
      const [row] = rows as RevisedRow[];
      const isCurrent = (row?.revision ?? -1) >= revision;
      this.counts[isCurrent ? 'used' : 'behind']++;
      return isCurrent ? rows : undefined;
    } catch (error) {
      this.counts.failed++;
      if (error instanceof DatabaseError && error.code === TIMED_OUT) throw error;
      if (!(error instanceof DatabaseError)) this.#restsUntil = performance.now() + REST;
      return undefined;
    }
  }

  async #inTime<Result>(work: Promise<Result>): Promise<Result> {
    const giveUp = new AbortController();
    const late = sleep(PATIENCE, undefined, { signal: giveUp.signal, ref: false }).then(() => {
      throw new Error('The replica does not respond');
    });
    return Promise.race([work, late]).finally(() => giveUp.abort());
  }
}

const replicas = new WeakMap<DataSource, Replica>();

/** The replica of a database, if it has one. */
export const replicaOf = (dataSource: DataSource): Replica | undefined => replicas.get(dataSource);

export const setReplica = (dataSource: DataSource, replica: Replica): void => void replicas.set(dataSource, replica);
