import type { DataSource, QueryRunner } from 'typeorm';
import { StartError } from '../config/start-error.js';
import { SCHEMA } from './migrations/schema.js';

/** How many of the differences the error names. */
const NAMED = 5;

/**
 * What the schema consists of, a line each, the same on every version of PostgreSQL: columns with their types,
 * constraints, indexes, triggers and functions. An index that is not valid and a trigger that is disabled are not there,
 * but for the limits: an operator may load more than these allow. Bodies of plpgsql functions are told without the name of their
 * schema, others not at all: each version of PostgreSQL spells them in its own way. Takes `$1` the names of the migrations that this program knows.
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
  select
    exists (select from migrations where name <> all($1)) as "isNewer",
    array(select line from lines order by line collate "C") as lines`;

/** The lines that describe the schema; `undefined` where a migration has run that this program does not know. */
export async function readSchema(dataSource: DataSource, queryRunner: QueryRunner): Promise<string[] | undefined> {
  const known = dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name);
  const [{ isNewer, lines }] = await queryRunner.manager.query<[{ isNewer: boolean; lines: string[] }]>(READ_SCHEMA, [
    known,
  ]);
  return isNewer ? undefined : lines;
}

/**
 * Compares the schema with what the migrations make. What was added to it is fine. A newer version's schema is not
 * looked at, so that an instance of this one can start while that one is rolled out.
 *
 * @throws StartError that names what is missing or changed: a missing constraint or trigger lets in wrong data
 */
export async function checkSchema(dataSource: DataSource, queryRunner: QueryRunner): Promise<void> {
  const lines = await readSchema(dataSource, queryRunner);
  if (lines === undefined) return;
  const there = new Set(lines);
  const missing = SCHEMA.trim()
    .split('\n')
    .filter((line) => !there.has(line));
  if (missing.length === 0) return;
  const named =
    missing.slice(0, NAMED).join(', ') + (missing.length > NAMED ? `, and ${missing.length - NAMED} more` : '');
  throw new StartError(
    `The database's schema is not the one that its migrations make. Missing, changed or disabled: ${named}. ` +
      `Undo what was changed by hand, restore a backup, or begin with an empty database.`,
  );
}
