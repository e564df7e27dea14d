import { randomUUID } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Database } from '../../src/database/database.js';
import type { Factory } from '../harness/factories.js';
import { expectRefused, Process, Workshop, type Ending } from '../harness/processes.js';

// Processes take seconds to start, and many more where the machine is busy.
import.meta.jest.setTimeout(90_000);

const workshop = new Workshop();
afterAll(() => workshop.clean());

const QUIET = { NODE_ENV: 'production', LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '0' };

/** What a command printed, read as JSON. */
function read({ code, stdout, stderr }: Ending): unknown {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const newEmail = () => `${randomUUID()}@example.com`;

describe("The operator's commands", () => {
  let env: NodeJS.ProcessEnv;
  let make: Factory;
  let database: Database;

  beforeAll(async () => {
    const fresh = await workshop.migrated();
    ({ database, make } = fresh);
    env = { ...QUIET, DATABASE_URL: fresh.url };
  });
  afterAll(() => database.close());

  const cli = (...args: string[]) => workshop.cli(env, ...args);

  it('make a user, once', async () => {
    const email = newEmail();
    const made = await cli('user', 'create', '--email', email, '--plan', 'pro');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain(email);
    expect(await make.auth.getUser(email)).toMatchObject({ email, plan: 'pro' });
    const [again, wrong] = await Promise.all([
      cli('user', 'create', '--email', email.toUpperCase()),
      cli('user', 'create', '--email', 'nobody'),
    ]);
    expectRefused(again, 'user.email: Is already taken');
    expectRefused(wrong, 'user.email: Is not an email address');
  });

  it('change the plan of a user', async () => {
    const { email } = await make.person();
    expect(await cli('user', 'set-plan', '--email', email, '--plan', 'pro')).toMatchObject({ code: 0, stderr: '' });
    expect((await make.auth.getUser(email)).plan).toBe('pro');
  });

  it('list users', async () => {
    const people = [await make.person(), await make.person({ plan: 'pro' })];
    const { code, stdout, stderr } = await cli('user', 'list', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining(people.map(({ id, email }) => expect.objectContaining({ id, email }))),
    );
  });

  it('delete a user, but not without being asked twice', async () => {
    const { email, token } = await make.person();
    expectRefused(await cli('user', 'delete', '--email', email), 'Confirmation required: add --yes.');
    expect(await make.auth.findCaller(token)).toBeDefined();
    expect(await cli('user', 'delete', '--email', email, '--yes')).toMatchObject({ code: 0, stderr: '' });
    expect(await make.auth.findCaller(token)).toBeUndefined();
  });

  it('make a token and print it and nothing else on standard output', async () => {
    const { email, id } = await make.person();
    const [plain, special] = await Promise.all([
      cli('token', 'create', '--email', email.toUpperCase()),
      cli('token', 'create', '--email', email, '--name', ' Backup ', '--scope', 'read', '--expires-in', '90d'),
    ]);
    for (const { code, stdout, stderr } of [plain, special]) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^wins_[0-9a-f]{64}\n$/);
    }
    expect(await make.auth.findCaller(plain.stdout.trim())).toMatchObject({
      userId: id,
      scope: 'write',
      expiresAt: null,
    });
    const caller = await make.auth.findCaller(special.stdout.trim());
    expect(caller).toMatchObject({ userId: id, scope: 'read' });
    const days = (caller!.expiresAt!.getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
    expect((await make.auth.allTokens(id)).map(({ name }) => name).toSorted()).toEqual([
      'Backup',
      'Created by the operator',
      'Test',
    ]);
  });

  it('make no token for nobody, with a scope there is not, or for a time that is none', async () => {
    const { email, id } = await make.person();
    const nobody = newEmail();
    const [unknown, scope, ...times] = await Promise.all([
      cli('token', 'create', '--email', nobody),
      cli('token', 'create', '--email', email, '--scope', 'admin'),
      cli('token', 'create', '--email', email, '--expires-in', '90'),
      cli('token', 'create', '--email', email, '--expires-in', '9999y'),
    ]);
    expectRefused(unknown!, `User ${nobody} not found`);
    expect(scope).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('read, write') });
    for (const ending of times) {
      expect(ending).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('such as 90d or 12h') });
    }
    expect(await make.auth.allTokens(id)).toHaveLength(1);
  });

  it('list tokens, without their secrets, and revoke them', async () => {
    const { email, id, token } = await make.person();
    const tokenId = (await make.auth.allTokens(id))[0]!.id;
    const revoke = (...args: string[]) => cli('token', 'revoke', '--email', email, '--id', ...args);
    const [table, unasked, word] = await Promise.all([
      cli('token', 'list', '--email', email),
      revoke(String(tokenId)),
      revoke('first', '--yes'),
    ]);
    expect(table).toMatchObject({ code: 0, stderr: '' });
    expect(table.stdout).toMatch(new RegExp(`${tokenId}.*write.*Test`));
    expect(table.stdout).not.toMatch(/wins_|digest/);
    expectRefused(unasked, 'Confirmation required: add --yes.');
    expect(word).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('It must be a number') });
    expect(await make.auth.findCaller(token)).toBeDefined();
    expect(await revoke(String(tokenId), '--yes')).toMatchObject({ code: 0, stderr: '' });
    expect(await make.auth.findCaller(token)).toBeUndefined();
  });

  it('bring the schema up to date, after which a server that may not do so starts', async () => {
    const { url } = await workshop.database();
    const ran = await workshop.cli({ ...QUIET, DATABASE_URL: url, MIGRATIONS: 'off' }, 'migration', 'run');
    expect(ran).toEqual({ code: 0, signal: null, stdout: 'The schema is up to date.\n', stderr: '' });
    const server = await workshop.serve({ ...QUIET, DATABASE_URL: url, MIGRATIONS: 'off' });
    expect((await server.call('GET', '/readyz')).status).toBe(200);
    await server.stop();
  });

  it('print JSON with the names of the API', async () => {
    const email = newEmail();
    const made = read(await cli('user', 'create', '--email', email, '--json'));
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(made).toEqual({ id: expect.any(Number), plan: 'free', created_at: time, email });
    const pro = read(await cli('user', 'set-plan', '--email', email, '--plan', 'pro', '--json'));
    expect(pro).toEqual(Object.assign({}, made, { plan: 'pro' }));
    expect(read(await cli('user', 'list', '--json'))).toContainEqual(pro);
    const token = read(await cli('token', 'create', '--email', email, '--json'));
    const summary = {
      id: expect.any(Number),
      scope: 'write',
      expires_at: null,
      created_at: time,
      name: 'Created by the operator',
    };
    expect(token).toEqual({ ...summary, token: expect.stringMatching(/^wins_[0-9a-f]{64}$/) });
    expect(read(await cli('token', 'list', '--email', email, '--json'))).toEqual([summary]);
  });

  it('print tables whose columns are aligned', async () => {
    const { email, id } = await make.person();
    await make.token(id, { scope: 'read', expiresAt: new Date('2999-01-31T12:00:00Z') });
    const { code, stdout, stderr } = await cli('token', 'list', '--email', email);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/).slice(1, 3))).toEqual([
      ['SCOPE', 'EXPIRES_AT'],
      ['write', 'never'],
      ['read', '2999-01-31T12:00:00Z'],
    ]);
    const [head, ...rows] = lines;
    for (const row of rows) expect(row.slice(head!.indexOf('NAME'))).toBe('Test');
  });

  it('say what they were asked to end that is not there', async () => {
    const { email } = await make.person();
    const nobody = newEmail();
    const [user, token] = await Promise.all([
      cli('user', 'delete', '--email', nobody),
      cli('token', 'revoke', '--email', email, '--id', '999999999'),
    ]);
    expectRefused(user, `User ${nobody} not found`);
    expectRefused(token, 'Token not found');
  });

  if (process.platform === 'linux') {
    /** Runs a command on a terminal, as `script` makes one. @param typed what is typed there, as `printf` takes it */
    const onTerminal = async (typed: string, ...args: string[]): Promise<Ending> => {
      const command = [process.execPath, 'dist/cli.js', ...args].join(' ');
      const line = 'printf "$1" | script --quiet --return --command "$2" /dev/null';
      return new Process('sh', ['-c', line, 'sh', typed, command], env).ended;
    };

    it('ask on a terminal before they delete or revoke, and take no for an answer', async () => {
      const { email, id, token } = await make.person();
      const tokenId = String((await make.auth.allTokens(id))[0]!.id);
      const remove = ['user', 'delete', '--email', email];
      const revoke = ['token', 'revoke', '--email', email, '--id', tokenId];
      for (const typed of ['n\\n', '\\n']) {
        for (const command of [remove, revoke]) {
          const { code, stdout } = await onTerminal(typed, ...command);
          expect(stdout).toMatch(/(Delete|Revoke) .*\? \(y\/N\) [^]*Cancelled: nothing was changed\./);
          expect(stdout).toContain(email);
          expect(code).toBe(1);
        }
      }
      expect(await make.auth.findCaller(token)).toBeDefined();
      expect(await onTerminal('y\\n', ...revoke)).toMatchObject({ code: 0 });
      expect(await make.auth.findCaller(token)).toBeUndefined();
      expect(await onTerminal('yes\\n', ...remove)).toMatchObject({ code: 0 });
      await expect(make.auth.getUser(email)).rejects.toThrow('not found');
    });
  } else {
    console.info('The question before something is deleted is tested only where Linux makes the terminal.');
  }
});

describe('The help of the command line', () => {
  it('is there at every level, with examples that are commands, and needs no database', async () => {
    const seen: string[] = [];
    const visit = async (...path: string[]): Promise<void> => {
      const { code, stdout, stderr } = await workshop.cli({}, ...path, '--help');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      seen.push(path.join(' '));
      const examples = [...stdout.matchAll(/^ {2}node dist\/cli\.js (.*)$/gm)].map(([, line]) => line);
      if (path.length > 0) expect(examples).toContainEqual(expect.stringMatching(`^${path.join(' ')}\\b`));
      const commands = /^Commands:\n([^]*?)\n\n/m.exec(stdout)?.[1] ?? '';
      const names = [...commands.matchAll(/^ {2}([a-z]\S*)/gm)].map(([, name]) => name!);
      await Promise.all(names.filter((name) => name !== 'help').map((name) => visit(...path, name)));
    };
    await visit();
    expect(seen.toSorted()).toEqual([
      '',
      'cluster',
      'cluster distribute',
      'cluster status',
      'demo',
      'migration',
      'migration list',
      'migration revert',
      'migration run',
      'openapi',
      'token',
      'token create',
      'token list',
      'token revoke',
      'user',
      'user create',
      'user delete',
      'user list',
      'user set-plan',
    ]);
  });

  it.each([
    [['usr', 'list'], 'Did you mean user?'],
    [['user', 'lst'], 'Did you mean list?'],
    [['user', 'list', '--jsn'], 'Did you mean --json?'],
    [['user', 'create'], "required option '--email <email>'"],
    [['user', 'create', '--email', 'ann@example.com', '--plan', 'gold'], 'free, pro'],
    [['user', 'list', 'all'], 'too many arguments'],
    [['user'], 'Usage: node dist/cli.js user'],
    [[], 'Usage: node dist/cli.js'],
  ])('is what %j leads to, with code 2', async (args, hint) => {
    const { code, stdout, stderr } = await workshop.cli({}, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(hint);
    expect(stderr).toMatch(/Add --help|-h, --help/);
  });
});

const later = (seconds: number) => new Date(Date.now() + seconds * 1_000);

describe('npm run cli', () => {
  it('builds first only where a source is newer than what is built', async () => {
    const folder = await workshop.folder();
    await writeFile(join(folder, '.swcrc'), '');
    await mkdir(join(folder, 'src/wins'), { recursive: true });
    await mkdir(join(folder, 'dist'));
    await writeFile(join(folder, 'src/wins/win.ts'), '');
    const isBuilt = async () =>
      (await new Process(process.execPath, [resolve('is-built.js')], {}, folder).ended).code === 0;

    expect(await isBuilt()).toBe(false);
    await writeFile(join(folder, 'dist/sbom.cdx.json'), '');
    await utimes(join(folder, 'dist/sbom.cdx.json'), later(10), later(10));
    expect(await isBuilt()).toBe(true);
    await utimes(join(folder, 'src/wins/win.ts'), later(20), later(20));
    expect(await isBuilt()).toBe(false);
    await utimes(join(folder, 'dist/sbom.cdx.json'), later(30), later(30));
    expect(await isBuilt()).toBe(true);
    await utimes(join(folder, '.swcrc'), later(40), later(40));
    expect(await isBuilt()).toBe(false);
  });
});
