import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Wins that went with a space that they had moved to. A copy that knows such a win in the space before is not told enough
 * by the deletion of the space: the win is remembered, too, with the revision at which it moved.
 */
export class Moves1767000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const own = `${await schemaOf(queryRunner)}.`;
    await queryRunner.query(`
      -- The revision at which a win came from another space; 0 for those that were made where they are.
      alter table wins add column space_revision bigint not null default 0;
      -- Only copies from before this revision need the deletion; null if all do.
      alter table deletions add column moved_revision bigint;

      create function stamp_space_revision() returns trigger language plpgsql as $$
      begin
        new.space_revision := coalesce(${own}raise_revision(new.user_id), 0);
        return new;
      end $$;
      create trigger trg_wins_stamp_space before update on wins
        for each row when (old.space_id is distinct from new.space_id) execute function stamp_space_revision();

      ${remembersWins(own, true)}
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const own = `${await schemaOf(queryRunner)}.`;
    await queryRunner.query(`
      ${remembersWins(own, false)}
      drop trigger trg_wins_stamp_space on wins;
      drop function stamp_space_revision();
      alter table deletions drop column moved_revision;
      alter table wins drop column space_revision;
    `);
  }
}

/** The schema of the tables, spelled for SQL. */
async function schemaOf(queryRunner: QueryRunner): Promise<string> {
  const [{ schema }] = await queryRunner.manager.query<[{ schema: string }]>(
    `select relnamespace::regnamespace::text as schema from pg_class where oid = 'users'::regclass`,
  );
  return schema;
}

/**
 * The SQL that replaces the function that remembers deleted wins.
 *
 * @param own what stands before the names of tables
 * @param moved whether it remembers those that moved before they went with a space; else the text is that of the migration before
 */
const remembersWins = (own: string, moved: boolean) => {
  const went = `exists (
            select from ${own}deletions d where d.user_id = removed.user_id and d.kind = 'space' and d.id = removed.space_id
          )`;
  return `
      create or replace function remember_wins() returns trigger language plpgsql as $$
      begin
        insert into ${own}deletions (user_id, kind, id, revision${moved ? ', moved_revision' : ''})
          select user_id, 'win', id, raised${moved ? `, case when ${went} then space_revision end` : ''}
          from (select user_id, ${own}raise_revision(user_id) as raised from removed group by 1 order by 1) users
          join removed using (user_id)
          where raised is not null and ${moved ? `(space_revision > 0 or not ${went})` : `not ${went}`}
          on conflict (user_id, kind, id) do update set revision = excluded.revision, deleted_at = excluded.deleted_at;
        return null;
      end $$;`;
};
