import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The same triggers for less. PostgreSQL reads the condition of a trigger anew for each statement, which for one over all
 * columns takes longer than to count a win: a trigger names the columns that it is about, or compares within its function.
 * And a statement of a function that is planned anew for each call takes longer to plan than to run.
 */
export class CheaperTriggers1768000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const own = `${await schemaOf(queryRunner)}.`;
    await queryRunner.query(`
      alter function stamp_wins() set plan_cache_mode = force_generic_plan;

      create or replace function stamp_revision() returns trigger language plpgsql as $$
      begin
        if new is distinct from old then
          new.revision := coalesce(${own}raise_revision(new.user_id), 0);
        end if;
        return new;
      end $$;
      ${Object.keys(SHOWN)
        .map(
          (table) => `
      create or replace trigger trg_${table}_stamp_update before update on ${table}
        for each row when (new.revision = old.revision) execute function stamp_revision();`,
        )
        .join('')}
      ${CHANGES.map((change) => onChange({ ...change, isNamed: true })).join('')}
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const own = `${await schemaOf(queryRunner)}.`;
    await queryRunner.query(`
      alter function stamp_wins() reset plan_cache_mode;

      create or replace function stamp_revision() returns trigger language plpgsql as $$
      begin
        new.revision := coalesce(${own}raise_revision(new.user_id), 0);
        return new;
      end $$;
      ${Object.entries(SHOWN)
        .map(
          ([table, columns]) => `
      create or replace trigger trg_${table}_stamp_update before update on ${table}
        for each row when (new.revision = old.revision and ${differ(columns)}) execute function stamp_revision();`,
        )
        .join('')}
      ${CHANGES.map((change) => onChange({ ...change, isNamed: false })).join('')}
    `);
  }
}

/** What clients see of a row. */
const SHOWN = {
  spaces: ['name', 'emoji', 'position', 'wins_count', 'created_at', 'updated_at'],
  tags: ['name', 'wins_count', 'created_at'],
  wins: ['space_id', 'body', 'occurred_on', 'created_at', 'updated_at'],
};

/** Triggers of which each is about some columns. */
const CHANGES = [
  { table: 'spaces', name: 'stamp_name', columns: ['name', 'emoji'], runs: 'stamp_name_revision' },
  { table: 'tags', name: 'stamp_name', columns: ['name'], runs: 'stamp_name_revision' },
  { table: 'spaces', name: 'touch', columns: ['name', 'emoji', 'position'], runs: 'touch_updated_at' },
  { table: 'wins', name: 'touch', columns: ['space_id', 'body', 'occurred_on'], runs: 'touch_updated_at' },
  { table: 'wins', name: 'stamp_space', columns: ['space_id'], runs: 'stamp_space_revision' },
];

const differ = (columns: string[]) =>
  `(${columns.map((column) => `old.${column}`).join(', ')}) is distinct from (${columns.map((column) => `new.${column}`).join(', ')})`;

/** @param isNamed whether the trigger names its columns, so that other statements don't read its condition */
const onChange = ({ table, name, columns, runs, isNamed }: (typeof CHANGES)[number] & { isNamed: boolean }) => `
      create or replace trigger trg_${table}_${name} before update ${isNamed ? `of ${columns.join(', ')} ` : ''}on ${table}
        for each row when (${name === 'stamp_name' ? 'new.name_revision = old.name_revision and ' : ''}${differ(columns)})
        execute function ${runs}();`;

/** The schema of the tables, spelled for SQL. */
async function schemaOf(queryRunner: QueryRunner): Promise<string> {
  const [{ schema }] = await queryRunner.manager.query<[{ schema: string }]>(
    `select relnamespace::regnamespace::text as schema from pg_class where oid = 'users'::regclass`,
  );
  return schema;
}
