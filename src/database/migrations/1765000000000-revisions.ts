import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What clients need to keep a copy, and to repeat a request safely.
 *
 * A user's revision is raised by each transaction that changes the user's spaces, tags or wins, whoever writes. Raising it
 * locks the user's row until the commit, so revisions are committed in their order. Each row has the revision of its last
 * change. Statements of the service raise it themselves and write it into their rows; triggers do so for all others.
 */
export class Revisions1765000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const own = `${await schemaOf(queryRunner)}.`;
    await queryRunner.query(`
      lock table users in access exclusive mode;
      lock table spaces, tags, wins, win_tags in share row exclusive mode;

      alter table users
        add column revision bigint not null default 0,
        -- The transaction that raised the revision last: it does so once.
        add column changed_in bigint not null default 0,
        -- Deletions up to this revision are no longer known.
        add column forgotten_revision bigint not null default 0;
      -- Room for the next version of a row on its page: no index has to follow.
      alter table users set (fillfactor = 50);

      -- Names are shown by wins: with the revision of its name a row tells that its wins look different, without a write to
      -- each of them.
      alter table spaces add column revision bigint not null default 0, add column name_revision bigint not null default 0;
      alter table tags add column revision bigint not null default 0, add column name_revision bigint not null default 0;
      alter table wins add column revision bigint not null default 0;
      create index idx_wins_revision on wins (user_id, revision, id);
      create index idx_wins_created_at on wins (user_id, created_at, id);
      create index idx_wins_updated_at on wins (user_id, updated_at, id);

      create table deletions (
        user_id bigint not null,
        kind text not null,
        id bigint not null,
        revision bigint not null,
        deleted_at timestamptz(3) not null default now(),
        constraint pk_deletions primary key (user_id, kind, id),
        constraint fk_deletions_user_id foreign key (user_id) references users (id) on delete cascade,
        constraint ck_deletions_kind check (kind in ('space', 'tag', 'win'))
      );
      create index idx_deletions_revision on deletions (user_id, revision, kind, id);
      create index idx_deletions_deleted_at on deletions (deleted_at);

      -- Responses to requests with an Idempotency-Key. Without a status, the request is under way in this transaction.
      create table idempotency_keys (
        user_id bigint not null,
        key text not null,
        fingerprint bytea not null,
        status integer,
        location text,
        body text,
        created_at timestamptz(3) not null default now(),
        constraint pk_idempotency_keys primary key (user_id, key),
        constraint fk_idempotency_keys_user_id foreign key (user_id) references users (id) on delete cascade,
        constraint ck_idempotency_keys_key check (key ~ '^[!-~]{1,255}$')
      );
      create index idx_idempotency_keys_created_at on idempotency_keys (created_at);

      -- The user's revision in this transaction; null if there is no such user.
      create function raise_revision(owner bigint) returns bigint language plpgsql as $$
      declare
        raised bigint;
      begin
        select revision into raised from ${own}users where id = owner and changed_in = pg_current_xact_id()::text::bigint;
        if not found then
          update ${own}users set revision = revision + 1, changed_in = pg_current_xact_id()::text::bigint where id = owner
            returning revision into raised;
        end if;
        return raised;
      end $$;

      create function stamp_revision() returns trigger language plpgsql as $$
      begin
        new.revision := coalesce(${own}raise_revision(new.user_id), 0);
        return new;
      end $$;
      create function stamp_name_revision() returns trigger language plpgsql as $$
      begin
        new.revision := coalesce(${own}raise_revision(new.user_id), 0);
        new.name_revision := new.revision;
        return new;
      end $$;
      -- Statements over many users stamp what they insert in the order of ids. The limit of spaces stamps those.
      ${stampsInserts('tags', own)}
      ${stampsInserts('wins', own)}
      ${stampsUpdates('spaces', ['name', 'emoji', 'position', 'wins_count', 'created_at', 'updated_at'])}
      ${stampsUpdates('tags', ['name', 'wins_count', 'created_at'])}
      ${stampsUpdates('wins', ['space_id', 'body', 'occurred_on', 'created_at', 'updated_at'])}
      ${stampsNames('spaces', ['name', 'emoji'])}
      ${stampsNames('tags', ['name'])}

      ${countsWins('spaces', 'space_id', own, true)}
      ${countsWins('tags', 'tag_id', own, true)}

      -- A win changes with its links, unless the tag is gone or the space is on its way out: those are remembered instead.
      create function stamp_wins() returns trigger language plpgsql as $$
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
      create trigger trg_win_tags_stamp_insert after insert on win_tags
        referencing new table as added for each statement execute function stamp_wins();
      create trigger trg_win_tags_stamp_update after update on win_tags
        referencing old table as removed new table as added for each statement execute function stamp_wins();
      create trigger trg_win_tags_stamp_delete after delete on win_tags
        referencing old table as removed for each statement execute function stamp_wins();

      -- A space is remembered before its wins go, so that they need not be.
      create function remember_space() returns trigger language plpgsql as $$
      begin
        insert into ${own}deletions (user_id, kind, id, revision)
          select old.user_id, 'space', old.id, raised from ${own}raise_revision(old.user_id) raised where raised is not null
          on conflict (user_id, kind, id) do nothing;
        return old;
      end $$;
      create trigger trg_spaces_remember before delete on spaces for each row execute function remember_space();

      create function remember_tags() returns trigger language plpgsql as $$
      begin
        insert into ${own}deletions (user_id, kind, id, revision)
          select user_id, 'tag', id, raised
          from (select user_id, ${own}raise_revision(user_id) as raised from removed group by 1 order by 1) users
          join removed using (user_id) where raised is not null
          on conflict (user_id, kind, id) do update set revision = excluded.revision, deleted_at = excluded.deleted_at;
        return null;
      end $$;
      create trigger trg_tags_remember after delete on tags
        referencing old table as removed for each statement execute function remember_tags();

      create function remember_wins() returns trigger language plpgsql as $$
      begin
        insert into ${own}deletions (user_id, kind, id, revision)
          select user_id, 'win', id, raised
          from (select user_id, ${own}raise_revision(user_id) as raised from removed group by 1 order by 1) users
          join removed using (user_id)
          where raised is not null and not exists (
            select from ${own}deletions d where d.user_id = removed.user_id and d.kind = 'space' and d.id = removed.space_id
          )
          on conflict (user_id, kind, id) do update set revision = excluded.revision, deleted_at = excluded.deleted_at;
        return null;
      end $$;
      create trigger trg_wins_remember after delete on wins
        referencing old table as removed for each statement execute function remember_wins();

      -- TRUNCATE has no rows to tell of: every copy has to begin anew.
      create function forget_revisions() returns trigger language plpgsql as $$
      begin
        update ${own}users set revision = revision + 1, forgotten_revision = revision + 1;
        return null;
      end $$;
      create trigger trg_spaces_forget after truncate on spaces for each statement execute function forget_revisions();
      create trigger trg_tags_forget after truncate on tags for each statement execute function forget_revisions();
      create trigger trg_wins_forget after truncate on wins for each statement execute function forget_revisions();
      create trigger trg_win_tags_forget after truncate on win_tags for each statement execute function forget_revisions();

      ${limitsSpaces(own, true)}
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const own = `${await schemaOf(queryRunner)}.`;
    await queryRunner.query(`
      drop trigger trg_spaces_stamp_update on spaces;
      drop trigger trg_spaces_stamp_name on spaces;
      drop trigger trg_spaces_remember on spaces;
      drop trigger trg_spaces_forget on spaces;
      drop trigger trg_tags_stamp_insert on tags;
      drop trigger trg_tags_stamp_update on tags;
      drop trigger trg_tags_stamp_name on tags;
      drop trigger trg_tags_remember on tags;
      drop trigger trg_tags_forget on tags;
      drop trigger trg_wins_stamp_insert on wins;
      drop trigger trg_wins_stamp_update on wins;
      drop trigger trg_wins_remember on wins;
      drop trigger trg_wins_forget on wins;
      drop trigger trg_win_tags_stamp_insert on win_tags;
      drop trigger trg_win_tags_stamp_update on win_tags;
      drop trigger trg_win_tags_stamp_delete on win_tags;
      drop trigger trg_win_tags_forget on win_tags;
      ${countsWins('spaces', 'space_id', own, false)}
      ${countsWins('tags', 'tag_id', own, false)}
      ${limitsSpaces(own, false)}
      drop function
        raise_revision, stamp_revision, stamp_name_revision, stamp_inserted_tags, stamp_inserted_wins, stamp_wins, remember_space, remember_tags, remember_wins,
        forget_revisions;
      drop table deletions, idempotency_keys;
      drop index idx_wins_created_at, idx_wins_updated_at;
      alter table wins drop column revision;
      alter table tags drop column revision, drop column name_revision;
      alter table spaces drop column revision, drop column name_revision;
      alter table users drop column revision, drop column changed_in, drop column forgotten_revision;
      alter table users reset (fillfactor);
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

/** The trigger for new rows whose writer did not say the revision. */
const stampsInserts = (table: string, own: string) => `
      create function stamp_inserted_${table}() returns trigger language plpgsql as $$
      declare
        owner bigint;
        raised bigint;
      begin
        for owner in select user_id from added where revision = 0 group by 1 order by 1 loop
          raised := ${own}raise_revision(owner);
          update ${own}${table} set revision = raised
            where user_id = owner and id = any (array(select id from added where user_id = owner and revision = 0));
        end loop;
        return null;
      end $$;
      create trigger trg_${table}_stamp_insert after insert on ${table}
        referencing new table as added for each statement execute function stamp_inserted_${table}();`;

/** The same for changed rows. @param columns what clients see */
const stampsUpdates = (table: string, columns: string[]) => `
      create trigger trg_${table}_stamp_update before update on ${table}
        for each row when (
          new.revision = old.revision
          and (${columns.map((column) => `old.${column}`).join(', ')})
            is distinct from (${columns.map((column) => `new.${column}`).join(', ')})
        ) execute function stamp_revision();`;

/** The trigger for what wins show of a row. */
const stampsNames = (table: string, columns: string[]) => `
      create trigger trg_${table}_stamp_name before update on ${table}
        for each row when (
          new.name_revision = old.name_revision
          and (${columns.map((column) => `old.${column}`).join(', ')})
            is distinct from (${columns.map((column) => `new.${column}`).join(', ')})
        ) execute function stamp_name_revision();`;

/**
 * The SQL that replaces the function that counts wins.
 *
 * @param own what stands before the names of tables
 * @param raises whether counting raises the revision; else the text is that of the migration before
 */
const countsWins = (table: 'spaces' | 'tags', column: string, own: string, raises: boolean) => `
      create or replace function count_wins_of_${table}() returns trigger language plpgsql as $$
      declare
        changes refcursor;
        change record;
        locked bigint;${raises ? '\n        raised bigint;' : ''}
      begin
        case tg_op
          when 'INSERT' then
            open changes for select user_id, ${column} as id, count(*) as n from added group by 1, 2 order by 1, 2;
          when 'DELETE' then
            open changes for select user_id, ${column} as id, -count(*) as n from removed group by 1, 2 order by 1, 2;
          when 'UPDATE' then
            open changes for
              select user_id, ${column} as id, sum(one) as n
              from (select user_id, ${column}, 1 from added union all select user_id, ${column}, -1 from removed)
                as both_sides (user_id, ${column}, one)
              group by 1, 2 having sum(one) <> 0 order by 1, 2;
          when 'TRUNCATE' then
            update ${own}${table} set wins_count = 0 where wins_count <> 0;
            return null;
        end case;
        loop
          fetch changes into change;
          exit when not found;
          if change.user_id is distinct from locked then
            ${
              raises
                ? `raised := ${own}raise_revision(change.user_id);`
                : `perform from ${own}users where id = change.user_id for no key update;`
            }
            locked := change.user_id;
          end if;
          update ${own}${table} set wins_count = wins_count + change.n${raises ? ', revision = coalesce(raised, revision)' : ''} where user_id = change.user_id and id = change.id;
        end loop;
        return null;
      end $$;`;

/** The same for the limit of spaces, which writes the user's row anyway. */
const limitsSpaces = (own: string, raises: boolean) => `
      create or replace function limit_spaces() returns trigger language plpgsql as $$
      declare
        allowed integer;
        used bigint;
      begin
        ${
          raises
            ? `update ${own}users u set revision = u.revision + 1, changed_in = pg_current_xact_id()::text::bigint
          from ${own}plans p where u.id = new.user_id and p.name = u.plan
          returning p.max_spaces, u.revision into allowed, new.revision;
        new.revision := coalesce(new.revision, 0);`
            : `update ${own}users u set plan = u.plan from ${own}plans p where u.id = new.user_id and p.name = u.plan
          returning p.max_spaces into allowed;`
        }
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
      end $$;`;
