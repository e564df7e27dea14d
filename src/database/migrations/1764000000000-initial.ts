import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The whole data model.
 *
 * Every table that belongs to a user has a primary key that begins with `user_id`, and every foreign key between
 * such tables carries it: a row can't refer to another user's row, and the tables can be spread over machines by
 * `user_id`. `plans` and `users` are small and belong on every machine.
 */
export class Initial1764000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- btree_gin lets the search index begin with user_id, pg_trgm finds parts of words.
      create extension if not exists btree_gin;
      create extension if not exists pg_trgm;

      -- Two names are the same when their folded forms are equal: full case folding (Unicode 3.13) after NFC,
      -- spelled with lower() and upper() because casefold() needs PostgreSQL 18. The dotless i is kept apart from
      -- i, as case folding does, behind a control character that no name may contain.
      create function fold_case(text) returns text
        language sql immutable strict parallel safe
        return normalize(
          lower(upper(replace(lower(normalize($1) collate "und-x-icu"), 'ı', e'\\x01') collate "und-x-icu") collate "und-x-icu")
        );

      create table plans (
        name text not null,
        max_spaces integer,
        constraint pk_plans primary key (name),
        constraint ck_plans_max_spaces check (max_spaces >= 0)
      );
      insert into plans (name, max_spaces) values ('free', 3), ('pro', null);

      create table users (
        id bigint generated always as identity,
        email text not null,
        plan text not null default 'free',
        created_at timestamptz(3) not null default now(),
        constraint pk_users primary key (id),
        constraint ck_users_email check (email ~ '^[^[:space:]@]+@[^[:space:]@]+$' and char_length(email) <= 254),
        constraint fk_users_plan foreign key (plan) references plans (name)
      );
      create unique index uq_users_email on users (lower(email));

      create table api_tokens (
        user_id bigint not null,
        id bigint generated always as identity,
        digest bytea not null,
        name text not null,
        scope text not null,
        expires_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        constraint pk_api_tokens primary key (user_id, id),
        constraint fk_api_tokens_user_id foreign key (user_id) references users (id) on delete cascade,
        constraint ck_api_tokens_digest check (octet_length(digest) = 32),
        constraint ck_api_tokens_name check (char_length(name) between 1 and 100),
        constraint ck_api_tokens_scope check (scope in ('read', 'write'))
      );
      -- The one look-up that can't begin with user_id: sign-in finds the user by it. It need not be unique, digests
      -- of 224 random bits are; a unique index would forbid spreading the table.
      create index idx_api_tokens_digest on api_tokens (digest);

      -- Every instance remembers who a token stands for, and hears here when that is no longer so.
      create function notify_api_tokens() returns trigger language plpgsql as $$
      begin
        perform pg_notify('api_tokens', old.user_id::text);
        return null;
      end $$;
      create trigger trg_api_tokens_notify after update or delete on api_tokens
        for each row execute function notify_api_tokens();

      create table spaces (
        user_id bigint not null,
        id bigint generated always as identity,
        name text not null,
        emoji text,
        position integer not null,
        wins_count integer not null default 0,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        constraint pk_spaces primary key (user_id, id),
        constraint fk_spaces_user_id foreign key (user_id) references users (id) on delete cascade,
        constraint ck_spaces_name check (char_length(name) between 1 and 100 and name is nfc normalized),
        constraint ck_spaces_emoji check (char_length(emoji) between 1 and 32),
        constraint ck_spaces_wins_count check (wins_count >= 0)
      );
      create index idx_spaces_position on spaces (user_id, position, id);

      -- The alphabet of the names is Unicode's own, the same in every deployment; the server's locale is never asked.
      create table tags (
        user_id bigint not null,
        id bigint generated always as identity,
        name text collate "und-x-icu" not null,
        wins_count integer not null default 0,
        created_at timestamptz(3) not null default now(),
        constraint pk_tags primary key (user_id, id),
        constraint fk_tags_user_id foreign key (user_id) references users (id) on delete cascade,
        constraint ck_tags_name check (char_length(name) between 1 and 30 and name is nfc normalized),
        constraint ck_tags_wins_count check (wins_count >= 0)
      );
      create unique index uq_tags_name on tags (user_id, fold_case(name));
      create index idx_tags_name on tags (user_id, name);
      -- Plans are made for users with a hundred tags: where most have one, a tag would be looked up among all of its user's.
      alter table tags alter column user_id set (n_distinct = -0.01);

      create table wins (
        user_id bigint not null,
        id bigint generated always as identity,
        space_id bigint not null,
        body text not null,
        folded_body text not null,
        occurred_on date not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        constraint pk_wins primary key (user_id, id),
        -- What links refer to; with the space in it, a tag's wins in a space are told without reading the wins.
        constraint uq_wins_occurred_on unique (user_id, id, occurred_on) include (space_id),
        constraint fk_wins_user_id foreign key (user_id) references users (id) on delete cascade,
        constraint fk_wins_space_id foreign key (user_id, space_id) references spaces (user_id, id) on delete cascade,
        constraint ck_wins_body check (char_length(body) between 1 and 10000)
      );
      create index idx_wins_occurred_on on wins (user_id, occurred_on, id);
      create index idx_wins_space_id on wins (user_id, space_id, occurred_on, id);
      create index idx_wins_folded_body on wins using gin (user_id, folded_body gin_trgm_ops);

      -- A link repeats its win's date, held equal by the foreign key, so that one index yields a tag's wins in order.
      create table win_tags (
        user_id bigint not null,
        win_id bigint not null,
        tag_id bigint not null,
        occurred_on date not null,
        constraint pk_win_tags primary key (user_id, win_id, tag_id),
        constraint fk_win_tags_win_id foreign key (user_id, win_id, occurred_on)
          references wins (user_id, id, occurred_on) on update cascade on delete cascade,
        constraint fk_win_tags_tag_id foreign key (user_id, tag_id) references tags (user_id, id) on delete cascade
      );
      create index idx_win_tags_tag_id on win_tags (user_id, tag_id, occurred_on, win_id);

      -- Counts follow the rows, whoever writes them. The user's row is locked first, so that one transaction at a time
      -- changes a user's counts: a delete's cascade counts tags before spaces, an insert spaces before tags, and without
      -- that lock the two could wait for each other in a circle. Statements over many users lock in the order of ids.
      create function count_wins_of_spaces() returns trigger language plpgsql as $$
      declare
        changes refcursor;
        change record;
        locked bigint;
      begin
        case tg_op
          when 'INSERT' then
            open changes for select user_id, space_id as id, count(*) as n from added group by 1, 2 order by 1, 2;
          when 'DELETE' then
            open changes for select user_id, space_id as id, -count(*) as n from removed group by 1, 2 order by 1, 2;
          when 'UPDATE' then
            open changes for
              select user_id, space_id as id, sum(one) as n
              from (select user_id, space_id, 1 from added union all select user_id, space_id, -1 from removed)
                as both_sides (user_id, space_id, one)
              group by 1, 2 having sum(one) <> 0 order by 1, 2;
          when 'TRUNCATE' then
            update spaces set wins_count = 0 where wins_count <> 0;
            return null;
        end case;
        loop
          fetch changes into change;
          exit when not found;
          if change.user_id is distinct from locked then
            perform from users where id = change.user_id for no key update;
            locked := change.user_id;
          end if;
          update spaces set wins_count = wins_count + change.n where user_id = change.user_id and id = change.id;
        end loop;
        return null;
      end $$;

      create function count_wins_of_tags() returns trigger language plpgsql as $$
      declare
        changes refcursor;
        change record;
        locked bigint;
      begin
        case tg_op
          when 'INSERT' then
            open changes for select user_id, tag_id as id, count(*) as n from added group by 1, 2 order by 1, 2;
          when 'DELETE' then
            open changes for select user_id, tag_id as id, -count(*) as n from removed group by 1, 2 order by 1, 2;
          when 'UPDATE' then
            open changes for
              select user_id, tag_id as id, sum(one) as n
              from (select user_id, tag_id, 1 from added union all select user_id, tag_id, -1 from removed)
                as both_sides (user_id, tag_id, one)
              group by 1, 2 having sum(one) <> 0 order by 1, 2;
          when 'TRUNCATE' then
            update tags set wins_count = 0 where wins_count <> 0;
            return null;
        end case;
        loop
          fetch changes into change;
          exit when not found;
          if change.user_id is distinct from locked then
            perform from users where id = change.user_id for no key update;
            locked := change.user_id;
          end if;
          update tags set wins_count = wins_count + change.n where user_id = change.user_id and id = change.id;
        end loop;
        return null;
      end $$;

      create trigger trg_wins_insert after insert on wins
        referencing new table as added for each statement execute function count_wins_of_spaces();
      create trigger trg_wins_update after update on wins
        referencing old table as removed new table as added for each statement execute function count_wins_of_spaces();
      create trigger trg_wins_delete after delete on wins
        referencing old table as removed for each statement execute function count_wins_of_spaces();
      create trigger trg_wins_truncate after truncate on wins
        for each statement execute function count_wins_of_spaces();

      create trigger trg_win_tags_insert after insert on win_tags
        referencing new table as added for each statement execute function count_wins_of_tags();
      create trigger trg_win_tags_update after update on win_tags
        referencing old table as removed new table as added for each statement execute function count_wins_of_tags();
      create trigger trg_win_tags_delete after delete on win_tags
        referencing old table as removed for each statement execute function count_wins_of_tags();
      create trigger trg_win_tags_truncate after truncate on win_tags
        for each statement execute function count_wins_of_tags();

      -- The plan's limit: the user's row is locked first, so that a user's creates go one at a time and each counts
      -- what the one before it left, on however many instances.
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

      -- What is searched is kept folded: folding takes twenty times longer than looking through the result.
      create function fold_body() returns trigger language plpgsql as $$
      begin
        new.folded_body := fold_case(new.body);
        return new;
      end $$;
      create trigger trg_wins_fold before insert or update of body, folded_body on wins
        for each row execute function fold_body();

      create function touch_updated_at() returns trigger language plpgsql as $$
      begin
        new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 millisecond');
        return new;
      end $$;
      create trigger trg_spaces_touch before update on spaces for each row
        when ((old.name, old.emoji, old.position) is distinct from (new.name, new.emoji, new.position))
        execute function touch_updated_at();
      create trigger trg_wins_touch before update on wins for each row
        when ((old.space_id, old.body, old.occurred_on) is distinct from (new.space_id, new.body, new.occurred_on))
        execute function touch_updated_at();
    `);
  }

  /** The extensions stay: something else in the database may use them by now. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop table win_tags, wins, tags, spaces, api_tokens, users, plans;
      drop function
        count_wins_of_spaces, count_wins_of_tags, admit_space, fold_body, touch_updated_at, notify_api_tokens, fold_case;
    `);
  }
}
