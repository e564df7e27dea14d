import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Limits of what a user may have, and functions that hold whoever writes: under any isolation level, with any
 * `search_path`, and for any text. Names in functions carry their schema, which costs a call nothing; a `search_path` of
 * the function's own would cost it some microseconds.
 */
export class Limits1764500000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const own = `${await schemaOf(queryRunner)}.`;
    await queryRunner.query(`
      lock table users in access exclusive mode;
      lock table api_tokens, spaces, tags, wins, win_tags in share row exclusive mode;

      -- How many tags a user has: what a list of tags shows as its total, and what the limit is held against.
      alter table users add column tags_count integer not null default 0;
      update users set tags_count = counted.n
        from (select user_id, count(*) as n from tags group by user_id) counted where users.id = counted.user_id;
      alter table users add constraint ck_users_tags_count check (tags_count >= 0);

      ${countsWins('spaces', 'space_id', own)}
      ${countsWins('tags', 'tag_id', own)}

      -- The update locks the user's row too. Statements over many users lock in the order of ids.
      create function count_tags_of_users() returns trigger language plpgsql as $$
      declare
        change record;
      begin
        case tg_op
          when 'INSERT' then
            perform from added limit 1;
            if not found then
              return null;
            end if;
            for change in select user_id, count(*) as n from added group by 1 order by 1 loop
              update ${own}users set tags_count = tags_count + change.n where id = change.user_id;
            end loop;
          when 'DELETE' then
            for change in select user_id, count(*) as n from removed group by 1 order by 1 loop
              update ${own}users set tags_count = tags_count - change.n where id = change.user_id;
            end loop;
          when 'UPDATE' then
            perform from ${own}users where id in (old.user_id, new.user_id) order by id for no key update;
            update ${own}users set tags_count = tags_count + case id when new.user_id then 1 else -1 end
              where id in (old.user_id, new.user_id);
          when 'TRUNCATE' then
            update ${own}users set tags_count = 0 where tags_count <> 0;
        end case;
        return null;
      end $$;
      create trigger trg_tags_insert after insert on tags
        referencing new table as added for each statement execute function count_tags_of_users();
      create trigger trg_tags_delete after delete on tags
        referencing old table as removed for each statement execute function count_tags_of_users();
      create trigger trg_tags_move after update of user_id on tags
        for each row when (old.user_id <> new.user_id) execute function count_tags_of_users();
      create trigger trg_tags_truncate after truncate on tags
        for each statement execute function count_tags_of_users();

      -- Counts begin at 0, whoever brings rows along that were counted elsewhere: what they count is counted when it comes.
      create function start_tags_count() returns trigger language plpgsql as $$
      begin
        new.tags_count := 0;
        return new;
      end $$;
      create function start_wins_count() returns trigger language plpgsql as $$
      begin
        new.wins_count := 0;
        return new;
      end $$;
      create trigger trg_users_start before insert on users
        for each row when (new.tags_count <> 0) execute function start_tags_count();
      create trigger trg_spaces_start before insert on spaces
        for each row when (new.wins_count <> 0) execute function start_wins_count();
      create trigger trg_tags_start before insert on tags
        for each row when (new.wins_count <> 0) execute function start_wins_count();

      -- TRUNCATE takes rows that an older snapshot does not see, and so could not take out of the counts.
      create function admit_truncate() returns trigger language plpgsql as $$
      begin
        if current_setting('transaction_isolation') <> 'read committed' then
          raise exception using
            errcode = 'feature_not_supported',
            message = 'TRUNCATE of ' || tg_table_name || ' needs the isolation level READ COMMITTED';
        end if;
        return null;
      end $$;
      create trigger trg_tags_admit_truncate before truncate on tags
        for each statement execute function admit_truncate();
      create trigger trg_wins_admit_truncate before truncate on wins
        for each statement execute function admit_truncate();
      create trigger trg_win_tags_admit_truncate before truncate on win_tags
        for each statement execute function admit_truncate();

      -- The limit of tags stands on the count, so that it costs nothing until it is reached.
      create function limit_tags() returns trigger language plpgsql as $$
      begin
        raise exception using
          errcode = 'check_violation', constraint = 'ck_tags_limit', table = 'tags',
          message = 'a user can have at most 10000 tags', detail = 10000;
      end $$;
      create trigger trg_tags_limit before update of tags_count on users
        for each row when (new.tags_count > 10000 and new.tags_count > old.tags_count) execute function limit_tags();

      -- The limit of the plan, and the one for all. The user's row is updated first, so that a user's creates go one at a
      -- time and each counts what the one before it left; a lock would not turn away who counts by an older snapshot.
      drop trigger trg_spaces_admit on spaces;
      drop function admit_space;
      create function limit_spaces() returns trigger language plpgsql as $$
      declare
        allowed integer;
        used bigint;
      begin
        update ${own}users u set plan = u.plan from ${own}plans p where u.id = new.user_id and p.name = u.plan
          returning p.max_spaces into allowed;
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
      create trigger trg_spaces_limit before insert on spaces for each row execute function limit_spaces();
      create trigger trg_spaces_move_limit before update of user_id on spaces
        for each row when (old.user_id <> new.user_id) execute function limit_spaces();

      -- Runs after the limit, in the order of the triggers' names, and so with the user's row locked.
      create function place_space() returns trigger language plpgsql as $$
      begin
        select least(coalesce(max(s.position)::bigint + 1, 0), 2147483647) into new.position
        from ${own}spaces s where s.user_id = new.user_id;
        return new;
      end $$;
      create trigger trg_spaces_place before insert on spaces
        for each row when (new.position is null) execute function place_space();

      -- Only tokens that have not expired count; the index finds them among any number that have.
      create index idx_api_tokens_expires_at on api_tokens (user_id, expires_at);
      create function limit_api_tokens() returns trigger language plpgsql as $$
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
      create trigger trg_api_tokens_limit before insert on api_tokens
        for each row when (new.expires_at is null or new.expires_at > now()) execute function limit_api_tokens();
      create trigger trg_api_tokens_move_limit before update of user_id, expires_at on api_tokens
        for each row when (
          (new.expires_at is null or new.expires_at > now())
          and (old.user_id <> new.user_id or old.expires_at <= now())
        ) execute function limit_api_tokens();

      -- TRUNCATE has no rows to tell of: no user named means that no token is what it was.
      create function notify_api_tokens_truncate() returns trigger language plpgsql as $$
      begin
        perform pg_notify('api_tokens', '');
        return null;
      end $$;
      create trigger trg_api_tokens_notify_truncate after truncate on api_tokens
        for each statement execute function notify_api_tokens_truncate();

      -- Normalizing takes time by the square of the combining marks in a row, unless they are in order, as in NFC. Each 50
      -- are followed by a control character here, which no body has: no one writes so many, and only search sees it. What
      -- marks are no class knows: they are neither letters nor digits, spaces, punctuation, symbols or emoji.
      create or replace function fold_body() returns trigger language plpgsql as $$
      declare
        body text := left(new.body, 10000);
      begin
        if body is not nfc normalized then
          body := regexp_replace(body collate "und-x-icu", e'(${MARK}{50})(?=${MARK})', e'\\\\1\\x02', 'g');
        end if;
        new.folded_body := ${own}fold_case(body);
        return new;
      end $$;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop trigger trg_users_start on users;
      drop trigger trg_tags_limit on users;
      drop trigger trg_tags_insert on tags;
      drop trigger trg_tags_delete on tags;
      drop trigger trg_tags_move on tags;
      drop trigger trg_tags_truncate on tags;
      drop trigger trg_tags_admit_truncate on tags;
      drop trigger trg_tags_start on tags;
      drop trigger trg_wins_admit_truncate on wins;
      drop trigger trg_win_tags_admit_truncate on win_tags;
      drop trigger trg_spaces_start on spaces;
      drop trigger trg_spaces_limit on spaces;
      drop trigger trg_spaces_move_limit on spaces;
      drop trigger trg_spaces_place on spaces;
      drop trigger trg_api_tokens_limit on api_tokens;
      drop trigger trg_api_tokens_move_limit on api_tokens;
      drop trigger trg_api_tokens_notify_truncate on api_tokens;
      drop function
        count_tags_of_users, start_tags_count, start_wins_count, admit_truncate, limit_tags, limit_spaces, place_space,
        limit_api_tokens, notify_api_tokens_truncate;
      drop index idx_api_tokens_expires_at;
      alter table users drop column tags_count;

      ${countsWins('spaces', 'space_id')}
      ${countsWins('tags', 'tag_id')}

      create function admit_space() returns trigger language plpgsql as $$
      declare
        allowed integer;
      begin
        select p.max_spaces into allowed
        from users u join plans p on p.name = u.plan
        where u.id = new.user_id
        for no key update of u;

        if (select count(*) from spaces where user_id = new.user_id) >= allowed then
          raise exception using
            errcode = 'check_violation', constraint = 'ck_spaces_plan_limit', table = 'spaces',
            message = 'the plan allows no further space', detail = allowed;
        end if;

        if new.position is null then
          select least(coalesce(max(s.position)::bigint + 1, 0), 2147483647) into new.position
          from spaces s where s.user_id = new.user_id;
        end if;
        return new;
      end $$;
      create trigger trg_spaces_admit before insert on spaces for each row execute function admit_space();

      create or replace function fold_body() returns trigger language plpgsql as $$
      begin
        new.folded_body := fold_case(new.body);
        return new;
      end $$;
    `);
  }
}

/** A pattern for a character that may be a combining mark, as it stands in a string of PostgreSQL with escapes. */
const MARK = String.raw`[^\\u0001-\\u02ff[:alnum:][:space:][:punct:]\\u2100-\\u2cee\\U0001f000-\\U0001faff]`;

/** The schema of the tables, spelled for SQL. */
async function schemaOf(queryRunner: QueryRunner): Promise<string> {
  const [{ schema }] = await queryRunner.manager.query<[{ schema: string }]>(
    `select relnamespace::regnamespace::text as schema from pg_class where oid = 'users'::regclass`,
  );
  return schema;
}

/**
 * The SQL that replaces the function that counts wins. The text is that of the migration before.
 *
 * @param own what stands before the names of tables
 */
const countsWins = (table: 'spaces' | 'tags', column: string, own = '') => `
      create or replace function count_wins_of_${table}() returns trigger language plpgsql as $$
      declare
        changes refcursor;
        change record;
        locked bigint;
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
            perform from ${own}users where id = change.user_id for no key update;
            locked := change.user_id;
          end if;
          update ${own}${table} set wins_count = wins_count + change.n where user_id = change.user_id and id = change.id;
        end loop;
        return null;
      end $$;`;
