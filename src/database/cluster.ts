import type { DataSource, QueryRunner } from 'typeorm';

/** The data sources whose tables are spread over the machines of a Citus cluster. */
const spread = new WeakSet<DataSource>();

/** Finds out whether the tables are spread, once, when a database is opened. */
export async function findCluster(dataSource: DataSource, queryRunner: QueryRunner): Promise<void> {
  const ask = async (text: string) => (await queryRunner.manager.query<[{ answer: boolean }]>(text))[0].answer;
  const hasCitus = await ask(`select to_regclass('pg_catalog.pg_dist_partition') is not null as answer`);
  if (hasCitus && (await ask(HAS_TABLES))) await waitForDistribution(queryRunner);
  if (hasCitus && (await ask(IS_SPREAD))) spread.add(dataSource);
  else spread.delete(dataSource);
}

const HAS_TABLES = `select to_regclass('win_tags') is not null as answer`;

const IS_SPREAD = `
  select exists (select from pg_dist_partition where logicalrelid = to_regclass('win_tags')) as answer`;

/** Waits for a `cluster distribute` that is under way, which has locked the tables. */
async function waitForDistribution(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.startTransaction();
  try {
    await queryRunner.query('lock table win_tags in row exclusive mode');
  } finally {
    await queryRunner.rollbackTransaction();
  }
}

/** Whether the tables of a database are spread over machines, each user's on one. */
export const isSpread = (dataSource: DataSource): boolean => spread.has(dataSource);

/** The schema of the tables as a prefix, such as `public.`: functions must work with any `search_path`. */
export async function schemaPrefix(queryRunner: QueryRunner): Promise<string> {
  const [{ schema }] = await queryRunner.manager.query<[{ schema: string }]>(
    `select relnamespace::regnamespace::text as schema from pg_class where oid = 'users'::regclass`,
  );
  return `${schema}.`;
}

/**
 * For a transaction that changes the schema: Citus warns of triggers that would touch other machines. These stay with
 * their user.
 */
export const ALLOW_TRIGGERS = `
  set local citus.enable_unsafe_triggers = on;
  set local citus.enable_local_reference_table_foreign_keys = off`;

/**
 * What the functions of the migrations are where tables are spread. May run again, as it does after each migration.
 *
 * @param prefix of the names of tables, such as `public.`
 */
export const clusterForms = (prefix: string) => `
  -- Where Citus takes a statement apart, it would write out a function in SQL, without its collations.
  create or replace function fold_case(text) returns text language plpgsql immutable strict parallel safe as $$
  begin
    return normalize(
      lower(upper(replace(lower(normalize($1) collate "und-x-icu"), 'ı', e'\\x01') collate "und-x-icu") collate "und-x-icu")
    );
  end $$;

  create or replace function raise_revision(owner bigint) returns bigint language plpgsql as $$
  declare
    here bigint := ${prefix}current_transaction();
    raised bigint;
  begin
    select revision into raised from ${prefix}users where id = owner and changed_in = here;
    if not found then
      update ${prefix}users set revision = revision + 1 where id = owner returning revision into raised;
    end if;
    return raised;
  end $$;

  -- A plan has to know the user, to find the machine.
  do $$
  declare
    planned regprocedure;
  begin
    for planned in
      select pg_proc.oid from pg_proc join pg_class on relnamespace = pronamespace and pg_class.oid = 'users'::regclass
      where array_to_string(proconfig, ' ') like '%plan_cache_mode=%'
    loop
      execute format('alter function %s reset plan_cache_mode', planned);
    end loop;
  end $$`;

/** What the schema lacks where tables are spread, or has in another form, as `readSchema()` tells it. */
const REPLACED = /^(function (fold_case|raise_revision)\b|unique index uq_users_email |trigger \w+_(truncate|forget) )/;

/** What it has there beyond the migrations. */
const ADDED = [
  'constraint ck_users_id on users',
  'constraint uq_users_email on emails',
  'trigger A_api_tokens_id on api_tokens',
  'trigger A_spaces_id on spaces',
  'trigger A_tags_id on tags',
  'trigger A_wins_id on wins',
  'trigger A_wins_move_links on wins',
  'trigger trg_users_stamp on users',
  'trigger trg_users_start_ids on users',
];

/** @param lines the schema that the migrations make @returns the schema where tables are spread */
export const spreadSchema = (lines: string[]): string[] => [...lines.filter((line) => !REPLACED.test(line)), ...ADDED];
