import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as Session } from 'pg';
import type { DataSource } from 'typeorm';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/database/database.js';
import { MIGRATION_LOCK } from '../../src/database/migrate.js';
import { Sql } from '../../src/database/sql.js';
import { findDemoToken } from '../../src/demo/token.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import { createDatabase, type FreshDatabase } from '../harness/fresh-database.js';
import { Workshop } from '../harness/processes.js';
import { until } from '../harness/until.js';

/** Milliseconds: what no statement takes on a busy machine, but for those that are made to. */
const STATEMENT_TIMEOUT = 2_000;

const workshop = new Workshop();
let database: FreshDatabase;
let app: TestApp;

beforeAll(async () => {
  database = await createDatabase();
  app = await startApp({ DATABASE_URL: database.url, STATEMENT_TIMEOUT: String(STATEMENT_TIMEOUT) });
});
afterAll(async () => {
  await app.close();
  await database.drop();
  await workshop.clean();
});

const SETTINGS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'application_name'];

/** What a session goes by. */
async function settingsOf(dataSource: DataSource): Promise<Record<string, string>> {
  const rows = await dataSource.query<{ name: string; setting: string }[]>(
    'select name, setting from pg_settings where name = any($1)',
    [SETTINGS],
  );
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

describe('a session of the service', () => {
  it('has the time-outs of the configuration, for statements and for what is idle in a transaction', async () => {
    expect(await settingsOf(app.dataSource)).toEqual({
      statement_timeout: String(STATEMENT_TIMEOUT),
      lock_timeout: '3000',
      idle_in_transaction_session_timeout: String(STATEMENT_TIMEOUT),
      application_name: 'wins-tracker',
    });
  });

  it('has them also where it ran the migrations, and holds no lock any more', async () => {
    const { url, drop } = await createDatabase();
    const config = { NODE_ENV: 'test', DATABASE_URL: url, DATABASE_POOL_SIZE: '1', STATEMENT_TIMEOUT: '4321' };
    const own = await openDatabase(loadConfig(config));
    expect(await settingsOf(own.dataSource)).toMatchObject({ statement_timeout: '4321', lock_timeout: '3000' });
    expect(
      await own.dataSource.query(`select from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`),
    ).toEqual([]);
    await own.close();
    await drop();
  });

  it('does not have them while it waits for the migrations of others', async () => {
    const { url, drop } = await createDatabase();
    const holder = new Session({ connectionString: url });
    await holder.connect();
    await holder.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const opening = openDatabase(
      loadConfig({ NODE_ENV: 'test', DATABASE_URL: url, STATEMENT_TIMEOUT: String(STATEMENT_TIMEOUT) }),
    );
    opening.catch(() => undefined); // told below
    await until(async () => {
      const { rowCount } = await holder.query(`
        select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`);
      return rowCount === 1;
    });
    await sleep(3_500); // longer than a lock is waited for
    await holder.end();
    await (await opening).close();
    await drop();
  });

  it.each(['on', 'off'])('has them whichever way a write takes, with PREPARED_STATEMENTS=%s', async (mode) => {
    const { url, database: own, make } = await workshop.migrated();
    const { token } = await make.person();
    await own.dataSource.query(`
      create function tell() returns trigger language plpgsql as $$ begin
        new.name := concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'));
        return new;
      end $$;
      create trigger tell before insert on spaces for each row execute function tell();
      create table told (settings text);
      create function note() returns trigger language plpgsql as $$ begin
        insert into told values (concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout')));
        return new;
      end $$;
      create trigger note before insert on tags for each row execute function note()`);
    const server = await workshop.serve({
      NODE_ENV: 'production',
      DATABASE_URL: url,
      STATEMENT_TIMEOUT: '4321',
      PREPARED_STATEMENTS: mode,
    });
    const space = await server.call('POST', '/api/v1/spaces', { token, json: { space: { name: 'x' } } });
    expect(space.body).toMatchObject({ name: '4321ms 3s' });
    const win = { body: 'Win', space_id: space.body.id };
    const { body } = await server.call('POST', '/api/v1/wins', { token, json: { win } });
    const changed = await server.call('PATCH', `/api/v1/wins/${body.id}`, {
      token,
      json: { win: { tag_names: ['x'] } },
    });
    expect(changed.body).toMatchObject({ tags: [{ name: 'x' }] });
    expect(await own.dataSource.query('select settings from told')).toEqual([{ settings: '4321ms 3s' }]);
    await server.stop();
    await own.close();
  });
});

describe('what takes long', () => {
  let api: Client;

  beforeAll(async () => {
    api = app.as(await app.make.person({ plan: 'pro' }));
    await database.query(`
      create function dawdle() returns trigger language plpgsql as
        $$ begin perform pg_sleep(${(STATEMENT_TIMEOUT * 1.25) / 1000}); return old; end $$`);
  });

  const spaceWithWin = async () => {
    const { body } = await api.post<{ id: number }>('/api/v1/spaces', { space: { name: 'Large' } });
    await api.post('/api/v1/wins', { win: { body: 'Win', space_id: body.id, tag_names: ['a'] } });
    return body.id;
  };

  it.each(['win_tags', 'wins', 'spaces'])('has its time where a space is deleted, for its %s too', async (table) => {
    const id = await spaceWithWin();
    await database.query(`create trigger dawdle before delete on ${table} for each row execute function dawdle()`);
    const { status } = await api.delete(`/api/v1/spaces/${id}`);
    await database.query(`drop trigger dawdle on ${table}`);
    expect(status).toBe(204);
    expect(await settingsOf(app.dataSource)).toMatchObject({ statement_timeout: String(STATEMENT_TIMEOUT) });
  });

  it('has no more than the statement’s time elsewhere, and leaves nothing half-done', async () => {
    const id = await spaceWithWin();
    const { body } = await api.get<{ id: number }[]>(`/api/v1/wins?space_id=${id}`);
    const path = `/api/v1/wins/${body[0]!.id}`;
    await database.query('create trigger dawdle before delete on wins for each row execute function dawdle()');
    expect((await api.delete(path)).status).toBe(503);
    await database.query('drop trigger dawdle on wins');
    expect((await api.get(path)).status).toBe(200);
    expect((await api.delete(path)).status).toBe(204);
  });
});

describe('the demo token', () => {
  it('is kept in a file that only its owner can read, and is the same the next time', async () => {
    const { database: own, make } = await workshop.migrated();
    const folder = join(await workshop.folder(), 'data');
    await mkdir(folder);
    const sql = new Sql(own.dataSource);
    const token = await findDemoToken(make.auth, sql, folder);
    const file = join(folder, 'demo-token');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toBe(token);
    expect(await findDemoToken(make.auth, sql, folder)).toBe(token);
    await own.dataSource.query('delete from api_tokens');
    const next = await findDemoToken(make.auth, sql, folder);
    expect(next).not.toBe(token);
    expect(await make.auth.findCaller(next)).toMatchObject({ scope: 'write', expiresAt: null });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await own.close();
  });
});
