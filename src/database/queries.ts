/** What a query may be given. */
export type Value = string | number | boolean | Date | Buffer | null | readonly (string | number)[];

/** Milliseconds that a statement may be late beyond its time-out: then its connection is dead, though nobody said so. */
export const LATENESS = 2_000;

/** Ways to run one statement. */
export abstract class Queries {
  /** @param values of `$1`, `$2` … @returns the statement's rows */
  abstract query<Row>(text: string, values?: readonly Value[]): Promise<Row[]>;

  /** Runs a statement that yields a row or none. */
  async first<Row>(text: string, values: readonly Value[]): Promise<Row | undefined> {
    return (await this.query<Row>(text, values))[0];
  }

  /** Runs a statement that always yields a row. */
  async one<Row>(text: string, values: readonly Value[]): Promise<Row> {
    const row = await this.first<Row>(text, values);
    if (row === undefined) throw new Error(`No row from: ${text}`);
    return row;
  }
}
