import { PreconditionFailedError } from '../common/errors.js';
import { etagOf, hasStrongTag } from '../common/etag.js';
import type { Json } from '../common/json.js';
import type { Owner, Sql } from './sql.js';

/** The statement that looks up a user's revision. */
export const REVISION = 'select revision from users where id = $1';

/**
 * The statement, or a CTE of one, that raises a user's revision and returns it. Writes of wins, tags and spaces begin with
 * it. It locks the user's row: one transaction at a time then changes what a user has, and none deadlock. Triggers write
 * the revision into changed rows where the statement doesn't, and raise it for SQL from outside.
 */
export const RAISE_REVISION = `
  update users set revision = revision + 1, changed_in = pg_current_xact_id()::text::bigint
  where id = $1 returning id as user_id, revision`;

/**
 * Changes a resource only if it still is what the client saw. The user's row is locked before the look, so of two clients
 * that saw the same, one finds it changed.
 *
 * @param ifMatch the request's `If-Match`; without one, there is nothing to compare
 * @param find reads the resource in the transaction of the owner that it is given
 * @param write changes it; also called if there is no such resource, which it will find
 * @throws PreconditionFailedError if the resource has another entity tag
 */
export async function ifUnchanged<Result>(
  sql: Sql,
  owner: Owner,
  ifMatch: string | undefined,
  find: (owner: Owner) => Promise<Json<unknown> | undefined>,
  write: (owner: Owner) => Promise<Result>,
): Promise<Result> {
  if (ifMatch === undefined) return write(owner);
  return sql.transaction(
    async (transaction) => {
      const within = { ...owner, transaction };
      await transaction.query(RAISE_REVISION, [owner.userId]);
      const current = await find(within);
      if (current !== undefined && !hasStrongTag(ifMatch, etagOf(current.text))) throw new PreconditionFailedError();
      return write(within);
    },
    { owner },
  );
}
