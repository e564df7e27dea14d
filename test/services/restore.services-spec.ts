import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readFile } from 'node:fs/promises';
import { LIMITS } from '../../src/auth/limits.js';
import { startApp } from '../harness/app.js';
import { createDatabase, type FreshDatabase } from '../harness/fresh-database.js';

/** Needs `psql`, `pg_dump` and `pg_restore`, no older than the server of TEST_DATABASE_URL. */

const run = promisify(execFile);

/** The commands of docs/operations.md that restore data alone, as one script each. */
async function documentedScripts(): Promise<string[]> {
  const text = await readFile('docs/operations.md', 'utf8');
  return [...text.matchAll(/```sh\n([^`]*--data-only[^`]*)```/g)].map(([, script]) => script!);
}

const TABLES = ['users', 'api_tokens', 'spaces', 'tags', 'wins', 'win_tags'];

/** All rows, without their revisions: a restore is a change like any other, so it raises them. */
const rowsOf = async ({ query }: FreshDatabase) =>
  Promise.all(
    TABLES.map(async (table) =>
      query(`select to_jsonb(t) - '{revision,changed_in}'::text[] as row from ${table} t order by t.*::text`),
    ),
  );

describe('Data alone, restored into a migrated database', () => {
  let folder: string;
  let source: FreshDatabase;
  let rows: unknown;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wins-restore-'));
    await chmod(folder, 0o777);
    source = await createDatabase();
    const app = await startApp({ DATABASE_URL: source.url });
    const ann = await app.make.person({ plan: 'pro' });
    for (const name of ['Work', 'Home', 'Club', 'More']) await app.as(ann).post('/api/v1/spaces', { space: { name } });
    const [{ id }] = (await source.query<{ id: number }>('select min(id)::int as id from spaces')) as [{ id: number }];
    for (const body of ['Größe', 'Second']) {
      await app.as(ann).post('/api/v1/wins', { win: { body, space_id: id, tag_names: ['Éclair', 'apple'] } });
    }
    await app.close();
  });
  afterAll(async () => {
    await source.drop();
    await rm(folder, { recursive: true });
  });

  /** Runs a documented script in a folder of its own, on the source and a new, migrated database. */
  async function restore(script: string): Promise<FreshDatabase> {
    const target = await createDatabase();
    await (await startApp({ DATABASE_URL: target.url })).close();
    rows = await rowsOf(source);
    await run('bash', ['-e', '-c', script], {
      cwd: folder,
      env: { PATH: process.env.PATH, DATABASE_URL: source.url, NEW_DATABASE_URL: target.url },
    });
    return target;
  }

  it('has exact counts, with psql and with pg_restore, past the triggers that count', async () => {
    const [psql, pgRestore] = await documentedScripts();
    for (const script of [psql!, pgRestore!]) {
      const target = await restore(script);
      expect(await rowsOf(target)).toEqual(rows);
      await target.drop();
    }
  });

  it('has all of what is over a limit, by the documented way', async () => {
    await source.query(`update users set plan = 'free'`);
    await source.query('alter table users disable trigger trg_tags_limit');
    await source.query(`insert into tags (user_id, name) select id, 'Tag ' || n from users, generate_series(1, $1) n`, [
      LIMITS.tags,
    ]);
    await source.query('alter table users enable trigger trg_tags_limit');
    const overLimits = (await documentedScripts())[2]!;
    const target = await restore(overLimits);
    expect(await rowsOf(target)).toEqual(rows);
    const app = await startApp({ DATABASE_URL: target.url });
    const ann = (await app.dataSource.query('select min(id) as id from users'))[0].id;
    const token = await app.make.token(ann);
    const made = await app.as({ id: ann, email: '', token }).post('/api/v1/tags', { tag: { name: 'One more' } });
    expect(made.status).toBe(422);
    await app.close();
    await target.drop();
  });
});
