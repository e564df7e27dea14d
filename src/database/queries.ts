import type { PoolClient, QueryResultRow } from 'pg';
import { Json } from '../common/json.js';
import type { JsonRow } from './json.js';

/** What a query may be given. */
export type Value = string | number | boolean | Date | Buffer | null | readonly (string | number)[];

/** Milliseconds that a statement may be late beyond its time-out: then its connection is dead, though nobody said so. */
const LATENESS = 2_000;

/**
 * Runs one statement on a session, and gives the session up where there is no answer.
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

  /** Runs a statement that always yields a row. */
  async one<Row>(text: string, values: readonly Value[]): Promise<Row> {
    const row = await this.first<Row>(text, values);
    if (row === undefined) throw new Error(`No row from: ${text}`);
    return row;
  }
}
