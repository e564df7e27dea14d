import type { DataSource, QueryRunner } from 'typeorm';
import { StartError } from '../config/start-error.js';
import { isSpread, spreadSchema } from './cluster.js';
import { SCHEMA } from './migrations/schema.js';

const MAX_LISTED = 5;

/**
 * Describes the schema, one line per column with its type, constraint, index, trigger and function, in the same words on
 * every version of PostgreSQL.
 * - Invalid indexes and disabled triggers are left out. Triggers of limits are listed even if disabled: operators may turn
 *   them off to import more than the limits allow.
 * - Only bodies of plpgsql functions are compared, without the name of the schema: PostgreSQL formats others differently
 *   in each version.
 */
const READ_SCHEMA = `
  with
    home as (select relnamespace as id from pg_class where oid = to_regclass('users')),
    tables as materialized (
      select pg_class.oid, relname from pg_class join home on home.id = relnamespace
      where relkind in ('r', 'p') and relname <> 'migrations'
    ),
    lines (line) as (
      select concat_ws(' ', 'column', relname || '.' || attname, format_type(atttypid, atttypmod),
        case when attnotnull then 'not null' end)
      from pg_attribute join tables on tables.oid = attrelid where attnum > 0 and not attisdropped
      union all
      select concat_ws(' ', 'constraint', conname, 'on', relname)
      from pg_constraint join tables on tables.oid = conrelid where contype <> 'n' and convalidated
      union all
      select concat_ws(' ', case when indisunique then 'unique' end, 'index', index.relname, 'on', tables.relname,
        '(' || (
          select string_agg(coalesce(attname, 'expression'), ', ' order by place)
          from unnest(indkey) with ordinality as key (attnum, place)
          left join pg_attribute on attrelid = indrelid and pg_attribute.attnum = nullif(key.attnum, 0)
          where place <= indnkeyatts
        ) || ')')
      from pg_index join tables on tables.oid = indrelid join pg_class index on index.oid = indexrelid where indisvalid
      union all
      select concat_ws(' ', 'trigger', tgname, 'on', relname)
      from pg_trigger join tables on tables.oid = tgrelid
      where not tgisinternal and (tgenabled <> 'D' or tgname like '%\\_limit')
      union all
      select concat_ws(' ', 'function', proname, md5(nullif(replace(prosrc, home.id::regnamespace || '.', ''), '')))
      from pg_proc join home on home.id = pronamespace join pg_language on pg_language.oid = prolang and lanname <> 'c'
    )
  select array(select line from lines order by line collate "C") as lines`;

/** Whether there is a migration that is none of `$1`. */
const IS_NEWER = 'select exists (select from migrations where name <> all ($1)) as "isNewer"';

/** @returns the lines that describe the schema; `undefined` if a migration of a newer version has run */
export async function readSchema(dataSource: DataSource, queryRunner: QueryRunner): Promise<string[] | undefined> {
  const known = dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name);
  const [{ isNewer }] = await queryRunner.manager.query<[{ isNewer: boolean }]>(IS_NEWER, [known]);
  if (isNewer) return undefined;
  const [{ lines }] = await queryRunner.manager.query<[{ lines: string[] }]>(READ_SCHEMA);
  return lines;
}

/**
 * Checks that the schema has everything the migrations create: without a constraint or trigger, invalid data could get
 * in. Additions are fine. The schema of a newer version isn't checked, so that instances of this version can start while
 * the newer one is rolled out.
 *
 * @throws StartError that lists what is missing or changed
 */
export async function checkSchema(dataSource: DataSource, queryRunner: QueryRunner): Promise<void> {
  const lines = await readSchema(dataSource, queryRunner);
  if (lines === undefined) return;
  const found = new Set(lines);
  const made = SCHEMA.trim().split('\n');
  const missing = (isSpread(dataSource) ? spreadSchema(made) : made).filter((line) => !found.has(line));
  if (missing.length === 0) return;
  const listed =
    missing.slice(0, MAX_LISTED).join(', ') +
    (missing.length > MAX_LISTED ? `, and ${missing.length - MAX_LISTED} more` : '');
  throw new StartError(
    `The database schema differs from what the migrations create. Missing, changed or disabled: ${listed}. ` +
      `Undo manual changes, restore a backup, or start with an empty database.`,
  );
}
