import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, type PoolClient, type QueryResultRow } from 'pg';
import { Created, Json } from '../common/json.js';
import type { JsonRow } from './json.js';

/** What a query may be given. */
export type Value = string | number | boolean | Date | Buffer | null | readonly (string | number)[];

/** Deadlock, and "could not be put in order with others": nothing was written, and the next try will likely work. */
const WORTH_A_RETRY = new Set(['40P01', '40001']);
const TRIES = 4;

/** Milliseconds that a statement may be late beyond its time-out: then its connection is dead, though nobody said so. */
const LATENESS = 2_000;

/**
 * Runs one statement on a session, and destroys the session if there is no response.
 *
 * @param timeout milliseconds that the server gives the statement
 */
export async function ask<Row>(
  session: PoolClient,
  text: string,
  values: readonly Value[],
  timeout: number,
): Promise<Row[]> {
  const deadline = setTimeout(() => session.connection.stream.destroy(), timeout + LATENESS);
  try {
    return (await session.query<Row & QueryResultRow>(text, [...values])).rows;
  } finally {
    clearTimeout(deadline);
  }
}

const isWorthRetry = (error: unknown) => error instanceof DatabaseError && WORTH_A_RETRY.has(String(error.code));

/** Runs what is a transaction by itself, anew where writers outside got in its way. @param work may run more than once */
export async function retrying<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === TRIES || !isWorthRetry(error)) throw error;
      await sleep(Math.random() * 20 * 2 ** attempt);
    }
  }
}

/** Ways to run one statement. */
export abstract class Queries {
  /** @param values of `$1`, `$2` … @returns the statement's rows */
  abstract query<Row>(text: string, values?: readonly Value[]): Promise<Row[]>;

  /** Runs a statement that yields a row or none. */
  async first<Row>(text: string, values: readonly Value[]): Promise<Row | undefined> {
    return (await this.query<Row>(text, values))[0];
  }

  /** Runs a statement that yields `json`, one resource, or no row. */
  async json<T>(text: string, values: readonly Value[]): Promise<Json<T> | undefined> {
    const row = await this.first<JsonRow>(text, values);
    return row && new Json<T>(row.json);
  }

  /** Runs an insert that yields one new resource: the columns that clients see, in their order. */
  async created<T>(text: string, values: readonly Value[]): Promise<Created<T>> {
    const row = await this.one<{ id: number }>(text, values);
    return new Created<T>(JSON.stringify(row), row.id);
  }

  /** Runs a statement that yields a row if there was something to do. @returns whether there was */
  async did(text: string, values: readonly Value[]): Promise<boolean> {
    return (await this.first(text, values)) !== undefined;
  }

  /** Runs a statement that always yields a row. */
  async one<Row>(text: string, values: readonly Value[]): Promise<Row> {
    const row = await this.first<Row>(text, values);
    if (row === undefined) throw new Error(`No row from: ${text}`);
    return row;
  }
}

/** One way to run a statement. */
export class Runner extends Queries {
  constructor(private readonly run: <Row>(text: string, values: readonly Value[]) => Promise<Row[]>) {
    super();
  }

  override query<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.run<Row>(text, values);
  }
}
