import type { Sql } from './sql.js';

/** How many old rows are looked for, and deleted of one user, at a time. */
export const BATCH = 1_000;

/**
 * Deletes some rows that are old, user by user: a statement over many users can't be run where each user's rows are on
 * another machine.
 *
 * @param old the table, the condition and the order in which old rows are found, oldest first
 * @param text deletes up to `BATCH` of those of the user `$1`, and yields a row for each
 * @returns whether there may be more
 */
export async function deleteOld(sql: Sql, old: string, text: string): Promise<boolean> {
  const owners = await sql.query<{ user_id: number }>(
    `select distinct user_id from (select user_id from ${old} limit ${BATCH}) oldest order by user_id`,
  );
  let deleted = 0;
  for (const { user_id } of owners) deleted += (await sql.query(text, [user_id])).length;
  return deleted > 0;
}
