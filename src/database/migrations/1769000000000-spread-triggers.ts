import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The same triggers in a form that also runs where the tables are spread over machines. There a statement of a trigger
 * reads either what has changed or a table, not both; it names its user; and what a machine refuses is known by its
 * message, which has the name of the constraint.
 */
export class SpreadTriggers1769000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const own = `${await schemaOf(queryRunner)}.`;
    await queryRunner.query(`
      create or replace function limit_tags() returns trigger language plpgsql as $$
      begin
        ${refuses('tags', 'ck_tags_limit', 'a user can have at most 10000 tags', '10000')}
      end $$;

      create or replace function limit_spaces() returns trigger language plpgsql as $$
      declare
        allowed integer;
        used bigint;
      begin
        update ${own}users u set revision = u.revision + 1, changed_in = pg_current_xact_id()::text::bigint
          from ${own}plans p where u.id = new.user_id and p.name = u.plan
          returning p.max_spaces, u.revision into allowed, new.revision;
        new.revision := coalesce(new.revision, 0);
        select count(*) into used from ${own}spaces where user_id = new.user_id;
        if used >= allowed then
          ${refuses('spaces', 'ck_spaces_plan_limit', 'the plan allows no further space', 'allowed')}
        end if;
        if used >= 1000 then
          ${refuses('spaces', 'ck_spaces_limit', 'a user can have at most 1000 spaces', '1000')}
        end if;
        return new;
      end $$;

      create or replace function limit_api_tokens() returns trigger language plpgsql as $$
      begin
        update ${own}users set plan = plan where id = new.user_id;
        if (
          select count(*) from ${own}api_tokens
          where user_id = new.user_id and id <> new.id and (expires_at is null or expires_at > now())
        ) >= 100 then
          ${refuses('api_tokens', 'ck_api_tokens_limit', 'a user can have at most 100 tokens that have not expired', '100')}
        end if;
        return new;
      end $$;

      ${['tags', 'wins'].map((table) => stampsInserts(table, own)).join('')}

      create or replace function stamp_wins() returns trigger language plpgsql
        set plan_cache_mode = force_generic_plan as $$
      declare
        owner bigint;
        raised bigint;
        ids bigint[];
        labels bigint[];
        links refcursor;
      begin
        if tg_op = 'INSERT' then
          open links for select user_id, array_agg(win_id), null::bigint[] from added group by 1 order by 1;
        elsif tg_op = 'UPDATE' then
          open links for
            select user_id, array_agg(win_id), null::bigint[] from (table added union all table removed) both_sides
            group by 1 order by 1;
        else
          open links for select user_id, array_agg(win_id), array_agg(tag_id) from removed group by 1 order by 1;
        end if;
        loop
          fetch links into owner, ids, labels;
          exit when not found;
          if labels is not null then
            ids := array(
              select win_id from unnest(ids, labels) as link (win_id, tag_id)
              join ${own}tags on tags.user_id = owner and tags.id = link.tag_id
            );
            continue when cardinality(ids) = 0;
          end if;
          raised := ${own}raise_revision(owner);
          ids := array(
            select wins.id from unnest(ids) win_id
            join ${own}wins on wins.user_id = owner and wins.id = win_id and wins.revision <> raised
            where not exists (
              select from ${own}deletions d where d.user_id = owner and d.kind = 'space' and d.id = wins.space_id
            )
          );
          if cardinality(ids) > 0 then
            update ${own}wins set revision = raised where user_id = owner and id = any (ids);
          end if;
        end loop;
        return null;
      end $$;

      create or replace function remember_space() returns trigger language plpgsql as $$
      declare
        raised bigint := ${own}raise_revision(old.user_id);
      begin
        if raised is not null then
          insert into ${own}deletions (user_id, kind, id, revision) values (old.user_id, 'space', old.id, raised)
            on conflict (user_id, kind, id) do nothing;
        end if;
        return old;
      end $$;

      create or replace function remember_tags() returns trigger language plpgsql
        set plan_cache_mode = force_generic_plan as $$
      declare
        owner bigint;
        raised bigint;
        ids bigint[];
      begin
        for owner, ids in select user_id, array_agg(id) from removed group by 1 order by 1 loop
          raised := ${own}raise_revision(owner);
          insert into ${own}deletions (user_id, kind, id, revision)
            select users.id, 'tag', tag_id, raised from ${own}users cross join unnest(ids) tag_id where users.id = owner
            on conflict (user_id, kind, id) do update set revision = excluded.revision, deleted_at = excluded.deleted_at;
        end loop;
        return null;
      end $$;

      create or replace function remember_wins() returns trigger language plpgsql
        set plan_cache_mode = force_generic_plan as $$
      declare
        owner bigint;
        raised bigint;
        ids bigint[];
        spaces bigint[];
        moves bigint[];
      begin
        for owner, ids, spaces, moves in
          select user_id, array_agg(id), array_agg(space_id), array_agg(space_revision) from removed group by 1 order by 1
        loop
          raised := ${own}raise_revision(owner);
          insert into ${own}deletions (user_id, kind, id, revision, moved_revision)
            select users.id, 'win', win.id, raised, case when went.id is not null then win.space_revision end
            from ${own}users cross join unnest(ids, spaces, moves) as win (id, space_id, space_revision)
            left join ${own}deletions went on went.user_id = owner and went.kind = 'space' and went.id = win.space_id
            where users.id = owner and (win.space_revision > 0 or went.id is null)
            on conflict (user_id, kind, id) do update set revision = excluded.revision, deleted_at = excluded.deleted_at;
        end loop;
        return null;
      end $$;
    `);
  }

  /** The texts of the migrations before. */
  async down(queryRunner: QueryRunner): Promise<void> {
    const own = `${await schemaOf(queryRunner)}.`;
    await queryRunner.query(`
      create or replace function limit_tags() returns trigger language plpgsql as $$
      begin
        raise exception using
          errcode = 'check_violation', constraint = 'ck_tags_limit', table = 'tags',
          message = 'a user can have at most 10000 tags', detail = 10000;
      end $$;
      create or replace function limit_spaces() returns trigger language plpgsql as $$
      declare
        allowed integer;
        used bigint;
      begin
        update ${own}users u set revision = u.revision + 1, changed_in = pg_current_xact_id()::text::bigint
          from ${own}plans p where u.id = new.user_id and p.name = u.plan
          returning p.max_spaces, u.revision into allowed, new.revision;
        new.revision := coalesce(new.revision, 0);
        select count(*) into used from ${own}spaces where user_id = new.user_id;
        if used >= allowed then
          raise exception using
            errcode = 'check_violation', constraint = 'ck_spaces_plan_limit', table = 'spaces',
            message = 'the plan allows no further space', detail = allowed;
        end if;
        if used >= 1000 then
          raise exception using
            errcode = 'check_violation', constraint = 'ck_spaces_limit', table = 'spaces',
            message = 'a user can have at most 1000 spaces', detail = 1000;
        end if;
        return new;
      end $$;
      create or replace function limit_api_tokens() returns trigger language plpgsql as $$
      begin
        update ${own}users set plan = plan where id = new.user_id;
        if (
          select count(*) from ${own}api_tokens
          where user_id = new.user_id and id <> new.id and (expires_at is null or expires_at > now())
        ) >= 100 then
          raise exception using
            errcode = 'check_violation', constraint = 'ck_api_tokens_limit', table = 'api_tokens',
            message = 'a user can have at most 100 tokens that have not expired', detail = 100;
        end if;
        return new;
      end $$;
      create or replace function stamp_inserted_tags() returns trigger language plpgsql as $$
      declare
        owner bigint;
        raised bigint;
      begin
        for owner in select user_id from added where revision = 0 group by 1 order by 1 loop
          raised := ${own}raise_revision(owner);
          update ${own}tags set revision = raised
            where user_id = owner and id = any (array(select id from added where user_id = owner and revision = 0));
        end loop;
        return null;
      end $$;
      create or replace function stamp_inserted_wins() returns trigger language plpgsql as $$
      declare
        owner bigint;
        raised bigint;
      begin
        for owner in select user_id from added where revision = 0 group by 1 order by 1 loop
          raised := ${own}raise_revision(owner);
          update ${own}wins set revision = raised
            where user_id = owner and id = any (array(select id from added where user_id = owner and revision = 0));
        end loop;
        return null;
      end $$;
      create or replace function stamp_wins() returns trigger language plpgsql set plan_cache_mode = force_generic_plan as $$
      declare
        owner bigint;
        raised bigint;
        ids bigint[];
        links refcursor;
      begin
        if tg_op = 'INSERT' then
          open links for select user_id, array_agg(win_id) from added group by 1 order by 1;
        elsif tg_op = 'UPDATE' then
          open links for
            select user_id, array_agg(win_id) from (table added union all table removed) both_sides group by 1 order by 1;
        else
          open links for
            select removed.user_id, array_agg(win_id) from removed
            join ${own}tags on tags.user_id = removed.user_id and tags.id = removed.tag_id
            group by 1 order by 1;
        end if;
        loop
          fetch links into owner, ids;
          exit when not found;
          raised := ${own}raise_revision(owner);
          ids := array(
            select wins.id from unnest(ids) win_id
            join ${own}wins on wins.user_id = owner and wins.id = win_id and wins.revision <> raised
            where not exists (
              select from ${own}deletions d where d.user_id = owner and d.kind = 'space' and d.id = wins.space_id
            )
          );
          if cardinality(ids) > 0 then
            update ${own}wins set revision = raised where user_id = owner and id = any (ids);
          end if;
        end loop;
        return null;
      end $$;
      create or replace function remember_space() returns trigger language plpgsql as $$
      begin
        insert into ${own}deletions (user_id, kind, id, revision)
          select old.user_id, 'space', old.id, raised from ${own}raise_revision(old.user_id) raised where raised is not null
          on conflict (user_id, kind, id) do nothing;
        return old;
      end $$;
      create or replace function remember_tags() returns trigger language plpgsql as $$
      begin
        insert into ${own}deletions (user_id, kind, id, revision)
          select user_id, 'tag', id, raised
          from (select user_id, ${own}raise_revision(user_id) as raised from removed group by 1 order by 1) users
          join removed using (user_id) where raised is not null
          on conflict (user_id, kind, id) do update set revision = excluded.revision, deleted_at = excluded.deleted_at;
        return null;
      end $$;
      create or replace function remember_wins() returns trigger language plpgsql as $$
      begin
        insert into ${own}deletions (user_id, kind, id, revision, moved_revision)
          select user_id, 'win', id, raised, case when exists (
            select from ${own}deletions d where d.user_id = removed.user_id and d.kind = 'space' and d.id = removed.space_id
          ) then space_revision end
          from (select user_id, ${own}raise_revision(user_id) as raised from removed group by 1 order by 1) users
          join removed using (user_id)
          where raised is not null and (space_revision > 0 or not exists (
            select from ${own}deletions d where d.user_id = removed.user_id and d.kind = 'space' and d.id = removed.space_id
          ))
          on conflict (user_id, kind, id) do update set revision = excluded.revision, deleted_at = excluded.deleted_at;
        return null;
      end $$;
    `);
  }
}

/** The statement that refuses a row. */
const refuses = (table: string, constraint: string, reason: string, detail: string) => `raise exception using
            errcode = 'check_violation', constraint = '${constraint}', table = '${table}',
            message = 'new row violates check constraint "${constraint}": ${reason}', detail = ${detail};`;

/** The trigger for new rows whose writer did not say the revision. */
const stampsInserts = (table: string, own: string) => `
      create or replace function stamp_inserted_${table}() returns trigger language plpgsql as $$
      declare
        owner bigint;
        raised bigint;
        ids bigint[];
      begin
        for owner, ids in select user_id, array_agg(id) from added where revision = 0 group by 1 order by 1 loop
          raised := ${own}raise_revision(owner);
          update ${own}${table} set revision = raised where user_id = owner and id = any (ids);
        end loop;
        return null;
      end $$;`;

/** The schema of the tables, spelled for SQL. */
async function schemaOf(queryRunner: QueryRunner): Promise<string> {
  const [{ schema }] = await queryRunner.manager.query<[{ schema: string }]>(
    `select relnamespace::regnamespace::text as schema from pg_class where oid = 'users'::regclass`,
  );
  return schema;
}
