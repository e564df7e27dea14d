import type { DataSource } from 'typeorm';
import type { Person } from './factories.js';

/** How many rows of a table are a person's, as the database has it. */
export async function countRows(
  dataSource: DataSource,
  table: 'tags' | 'spaces' | 'wins' | 'win_tags',
  person: Person,
): Promise<number> {
  const [row] = await dataSource.query<[{ n: number }]>(`select count(*)::int as n from ${table} where user_id = $1`, [
    person.id,
  ]);
  return row.n;
}
