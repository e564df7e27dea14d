import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { LIMITS } from '../../../src/auth/limits.js';
import { Database } from '../../harness/database.js';
import { Process, Workshop, type Ending } from '../../harness/processes.js';
import { until } from '../../harness/until.js';

/** What operators do in a hurry, by mistake or at the same time. */

import.meta.jest.setTimeout(300_000);

const CLI = resolve('dist/cli.js');
const workshop = new Workshop();
let url: string;
let database: Database;
let cli: (...args: string[]) => Promise<Ending>;

beforeAll(async () => {
  ({ url } = await workshop.database());
  database = new Database(url);
  cli = (...args) => workshop.cli({ DATABASE_URL: url, LOG_LEVEL: 'silent' }, ...args);
  await cli('migration', 'run');
});
afterAll(() => workshop.clean());

const oneLine = /^[^\n]+\n$/;

describe('The email of a user', () => {
  const LONG = `${'x'.repeat(242)}@example.com`;
  it.each(['grüße@exämple.com', `o'neil"x\\y@example.com`, '--yes@example.com', LONG])(
    'may be odd: %s',
    async (email) => {
      expect(await cli('user', 'create', `--email=${email}`)).toMatchObject({ code: 0, stderr: '' });
      expect(await cli('user', 'delete', `--email=${email}`, '--yes')).toMatchObject({
        code: 0,
        stdout: `Deleted user ${email}.\n`,
      });
    },
  );

  it.each(['', 'ann', `x${LONG}`, 'a b@example.com'])('is refused in one line: %j', async (email) => {
    const { code, stdout, stderr } = await cli('user', 'create', `--email=${email}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe('user.email: Is not an email address\n');
  });

  it('cannot bring anything into the terminal', async () => {
    for (const control of ['\u001b[31m', '\n', '\u0085']) {
      const { code, stderr } = await cli('user', 'create', `--email=${control}red@example.com`);
      expect(code).toBe(2);
      expect(stderr).toContain('It must not contain control characters.');
    }
    expect((await cli('user', 'list')).stdout).not.toContain('red@');
  });
});

it('a token beyond the limit is refused in one clear line', async () => {
  const ann = await database.person();
  for (let n = 1; n < LIMITS.tokens; n++) await database.token(ann.id);
  expect(await cli('token', 'create', '--email', ann.email)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'token: A user can have at most 100 tokens that have not expired\n',
  });
});

it('two at once on the same user: each says what it did or did not find', async () => {
  const ann = await database.person();
  const ends = await Promise.all([0, 1].map(() => cli('user', 'delete', '--email', ann.email, '--yes')));
  for (const { code, stdout, stderr } of ends) {
    if (code === 0) expect([stdout, stderr]).toEqual([`Deleted user ${ann.email}.\n`, '']);
    else expect([code, stdout, stderr]).toEqual([1, '', `User ${ann.email} not found\n`]);
  }
  expect(ends.some(({ code }) => code === 0)).toBe(true);
  const made = await Promise.all([0, 1, 2].map(() => cli('user', 'create', '--email', 'same@example.com')));
  expect(made.map(({ code }) => code).toSorted()).toEqual([0, 1, 1]);
  for (const { code, stderr } of made) if (code === 1) expect(stderr).toBe('user.email: Is already taken\n');
});

it('a token of a user who is deleted meanwhile is no stack trace', async () => {
  const ann = await database.person();
  const outside = await database.session();
  await outside.query('begin');
  await outside.query('delete from users where id = $1', [ann.id]);
  const creating = cli('token', 'create', '--email', ann.email);
  const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await until(async () => (await database.query(waits)).length > 0, 60_000);
  await outside.query('commit');
  await outside.end();
  const { code, stdout, stderr } = await creating;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(oneLine);
});

it.each(['user list', 'token create', 'user delete'])(
  'standard input, output and error that are closed are no fault: %s',
  async (command) => {
    const ann = await database.person();
    const args = [
      ...command.split(' '),
      ...(command === 'user list' ? [] : ['--email', ann.email]),
      ...(command === 'user delete' ? ['--yes'] : []),
    ];
    for (const closed of ['<&-', '>&-', '2>&-', '<&- >&- 2>&-']) {
      const shell = new Process('sh', ['-c', `exec "$@" ${closed}`, 'sh', process.execPath, CLI, ...args], {
        DATABASE_URL: url,
      });
      const { code, stderr } = await shell.ended;
      if (command === 'user delete' && closed !== '<&-')
        expect([0, 1]).toContain(code); // there once only
      else expect({ closed, code, stderr }).toEqual({ closed, code: 0, stderr: '' });
    }
  },
);

it('a reader that goes away after the first line is no fault', async () => {
  await database.query(
    `insert into users (email) select 'many' || n || '@example.com' from generate_series(1, 20000) n`,
  );
  const shell = new Process(
    'bash',
    ['-c', `"$@" | head -1; echo "\${PIPESTATUS[0]}"`, 'sh', process.execPath, CLI, 'user', 'list'],
    { DATABASE_URL: url },
  );
  const { stdout, stderr } = await shell.ended;
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^ID .*\n0\n$/);
});

it('all of a long list gets through a slow pipe', async () => {
  const child = spawn(process.execPath, [CLI, 'user', 'list'], {
    env: { PATH: process.env.PATH, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let lines = 0;
  child.stdout.setEncoding('utf8');
  for await (const text of child.stdout) {
    lines += (text as string).split('\n').length - 1;
    await new Promise((done) => setTimeout(done, 5));
  }
  if (child.exitCode === null) await once(child, 'exit');
  const [{ count }] = (await database.query<{ count: number }>('select count(*)::int from users')) as [
    { count: number },
  ];
  expect([child.exitCode, lines]).toEqual([0, count + 1]);
});

describe('A signal during migrations', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'leaves nothing half-made, and the next run is whole: %s',
    async (signal) => {
      const fresh = await workshop.database();
      const own = new Database(fresh.url);
      // Holds the migrations up in their middle: what they are about to create is under way by another.
      const outside = await own.session();
      await outside.query('begin');
      await outside.query('create table tags ()');
      const run = new Process(process.execPath, [CLI, 'migration', 'run'], { DATABASE_URL: fresh.url });
      const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await until(async () => (await own.query(waits)).length > 0, 60_000);
      const { code, stdout } = await run.stop(signal);
      expect(stdout).toBe('');
      expect(code).not.toBe(0);
      await outside.query('rollback');
      await outside.end();
      await until(
        async () =>
          (
            await own.query(
              `select from pg_stat_activity where application_name like 'wins%' and datname = current_database()`,
            )
          ).length === 0,
        30_000,
      );
      expect(
        await own.query(`select relname from pg_class where relname in ('users', 'tags', 'migrations', 'win_tags')`),
      ).toEqual([]);
      expect(await workshop.cli({ DATABASE_URL: fresh.url }, 'migration', 'run')).toMatchObject({ code: 0 });
    },
  );
});

it('a log at level trace has no token, no password of the database, and no email that a command was given', async () => {
  const email = 'log@example.com';
  const env = { DATABASE_URL: url, LOG_LEVEL: 'trace', NODE_ENV: 'production' };
  await workshop.cli(env, 'user', 'create', '--email', email);
  const { stdout } = await workshop.cli(env, 'token', 'create', '--email', email);
  const token = stdout.trim();
  const server = await workshop.serve(env);
  const made = await server.call('POST', '/api/v1/tokens', { token, json: { token: { name: 'x' } } });
  expect(made.status).toBe(201);
  await server.call('GET', '/api/v1/me', { token: made.body.token });
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'wins%' and datname = current_database()`,
  );
  await until(async () => (await server.call('GET', '/api/v1/me', { token: made.body.token })).status === 200);
  const { stdout: out, stderr } = await server.stop();
  const { password } = new URL(url);
  expect(out).toContain('listening on');
  for (const secret of [token, made.body.token, email, ...(password.length > 3 ? [`:${password}@`] : [])]) {
    expect(out + stderr).not.toContain(secret);
    expect(out + stderr).not.toContain(secret.slice(5, 40));
  }
});
