import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/database/database.js';
import { Sql } from '../../src/database/sql.js';
import { findDemoToken } from '../../src/demo/token.js';
import { Factory, type Person } from '../harness/factories.js';
import { freePort, isListening } from '../harness/ports.js';
import { expectRefused, findPostmaster, HURRIED, Workshop, type Service } from '../harness/processes.js';
import { rawRequest } from '../harness/raw.js';
import { until } from '../harness/until.js';

// Processes take seconds to start, and many more where the machine is busy.
import.meta.jest.setTimeout(90_000);

const workshop = new Workshop();
afterAll(() => workshop.clean());

const embedded = (dataDir: string) => ({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' });
const QUIET = { NODE_ENV: 'production', LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '0' };

async function personIn(url: string, plan = 'free'): Promise<Person> {
  const database = await openDatabase(loadConfig({ NODE_ENV: 'test', DATABASE_URL: url, DATABASE_POOL_SIZE: '1' }));
  try {
    return await new Factory(database.dataSource).person({ plan });
  } finally {
    await database.close();
  }
}

describe('A server with DATABASE_URL', () => {
  it('makes the schema, answers, stops with code 0 when it is told to, and finds every row again', async () => {
    const { url } = await workshop.database();
    const first = await workshop.serve({ ...QUIET, DATABASE_URL: url });
    const { token } = await personIn(url);
    expect(await first.call('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await first.call('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    for (const name of ['One', 'Two', 'Three'])
      await first.call('POST', '/api/v1/tags', { token, json: { tag: { name } } });
    await first.call('POST', '/api/v1/spaces', { token, json: { space: { name: 'Work', emoji: '🚀' } } });
    const tags = await first.call('GET', '/api/v1/tags', { token });
    const spaces = await first.call('GET', '/api/v1/spaces', { token });
    expect([tags.body.length, spaces.body.length]).toEqual([3, 1]);
    expect(await first.stop('SIGTERM')).toMatchObject({ code: 0, signal: null, stderr: '' });

    const second = await workshop.serve({ ...QUIET, DATABASE_URL: url });
    expect((await second.call('GET', '/api/v1/tags', { token })).body).toEqual(tags.body);
    expect((await second.call('GET', '/api/v1/spaces', { token })).body).toEqual(spaces.body);
    expect(await second.stop('SIGINT')).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});

describe('Two servers that start at once on an empty database', () => {
  let servers: [Service, Service];
  let person: Person;

  beforeAll(async () => {
    const { url } = await workshop.database();
    const env = { ...QUIET, DATABASE_URL: url };
    servers = await Promise.all([workshop.serve(env), workshop.serve(env)]);
    person = await personIn(url);
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  it('both come up, and see what the other writes', async () => {
    const [one, other] = servers;
    const { status, body } = await one.call('POST', '/api/v1/tags', {
      token: person.token,
      json: {
        tag: { name: randomUUID().slice(0, 30) },
      },
    });
    expect(status).toBe(201);
    expect((await other.call('GET', `/api/v1/tags/${body.id}`, { token: person.token })).body).toEqual(body);
  });

  it('let a free user have three spaces, whichever of them is asked and however many times at once', async () => {
    const create = (n: number) =>
      servers[n % 2]!.call('POST', '/api/v1/spaces', { token: person.token, json: { space: { name: `Space ${n}` } } });
    await Promise.all([create(0), create(1)]);
    for (let round = 0; round < 50; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => create(n)));
      const made = answers.filter(({ status }) => status === 201);
      expect([made.length, answers.filter(({ status }) => status === 402).length]).toEqual([1, 19]);
      const removed = await servers[round % 2]!.call('DELETE', `/api/v1/spaces/${made[0]!.body.id}`, {
        token: person.token,
      });
      expect(removed.status).toBe(204);
    }
    const list = await servers[0].call('GET', '/api/v1/spaces', { token: person.token });
    expect(list.headers.get('x-total-count')).toBe('2');
  });
});

/** What a start on the embedded database prints. */
async function greeting(server: Service): Promise<{ api: string; explorer: string; token: string; url: string }> {
  const pattern = /API +(\S+)\s+Explorer +(\S+)\s+Token +(\S+)\s+curl -H 'Authorization: Bearer (\S+)' (\S+)/;
  await until(() => pattern.test(server.stdout));
  const [, api, explorer, token, inCurl, url] = pattern.exec(server.stdout)!;
  expect(inCurl).toBe(token);
  return { api: api!, explorer: explorer!, token: token!, url: url! };
}

async function expectStopped(dataDir: string, port: number): Promise<void> {
  expect(await findPostmaster(dataDir)).toEqual({});
  expect(await isListening(port)).toBe(false);
}

describe('A server with the embedded database', () => {
  it('prints addresses and a call that work, and the same ones however it ended the last time', async () => {
    const dataDir = join(await workshop.folder(), 'new', 'data');
    const first = await workshop.serve(embedded(dataDir));
    const { api, explorer, token, url } = await greeting(first);
    expect([api, explorer, url]).toEqual(['/api/v1', '/docs', '/api/v1/tags'].map((path) => first.url + path));
    expect((await fetch(explorer)).headers.get('content-type')).toContain('text/html');
    const { body: tag } = await first.call('POST', '/api/v1/tags', { token, json: { tag: { name: 'Kept' } } });
    const tags = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect(await tags.json()).toContainEqual(tag);
    const expectAgain = async (server: Service) => {
      expect((await greeting(server)).token).toBe(token);
      expect((await server.call('GET', `/api/v1/tags/${tag.id}`, { token })).body).toEqual(tag);
    };
    const { port } = await findPostmaster(dataDir);
    expect(await isListening(port!)).toBe(true);
    expect(await first.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
    await expectStopped(dataDir, port!);
    expect((await readdir(dataDir)).toSorted()).toEqual(['demo-token', 'postgres']);

    const second = await workshop.serve(embedded(dataDir));
    await expectAgain(second);
    const lost = await findPostmaster(dataDir);
    process.kill(lost.pid!, 'SIGKILL');
    await until(async () => !(await isListening(lost.port!)));
    expect((await second.call('GET', '/readyz')).status).toBe(503);
    expect((await second.call('GET', '/api/v1/spaces', { token })).status).toBe(503);
    expect(await second.stop()).toMatchObject({ code: 0, stderr: '' });

    const third = await workshop.serve(embedded(dataDir));
    await expectAgain(third);
    await third.stop('SIGKILL');
    const orphan = await findPostmaster(dataDir);
    expect(await isListening(orphan.port!)).toBe(true);

    const fourth = await workshop.serve(embedded(dataDir));
    await expectAgain(fourth);
    expect(await findPostmaster(dataDir)).toEqual(orphan);
    expect(await fourth.stop()).toMatchObject({ code: 0, stderr: '' });
    await expectStopped(dataDir, orphan.port!);
  });

  it('shares it with another that starts at the same time, and with the command line, until the last one ends', async () => {
    const dataDir = await workshop.folder();
    const [one, other] = await Promise.all([workshop.serve(embedded(dataDir)), workshop.serve(embedded(dataDir))]);
    const { token } = await greeting(one);
    const { body: tag } = await one.call('POST', '/api/v1/tags', { token, json: { tag: { name: 'Shared' } } });
    expect((await other.call('GET', `/api/v1/tags/${tag.id}`, { token })).body).toEqual(tag);

    const listed = await workshop.cli(embedded(dataDir), 'user', 'list', '--json');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ email: 'demo@example.com' }]);
    expect((await one.call('GET', '/readyz')).status).toBe(200);

    const { port } = await findPostmaster(dataDir);
    await one.stop();
    expect((await other.call('GET', `/api/v1/tags/${tag.id}`, { token })).body).toEqual(tag);
    expect(await other.stop()).toMatchObject({ code: 0, stderr: '' });
    await expectStopped(dataDir, port!);
  });

  it('makes one demo user, however many start at once, and replaces a token that was revoked', async () => {
    const { database, make } = await workshop.migrated();
    const sql = new Sql(database.dataSource);
    const dataDir = await workshop.folder();
    try {
      const tokens = await Promise.all(Array.from({ length: 4 }, () => findDemoToken(make.auth, sql, dataDir)));
      const callers = await Promise.all(tokens.map((token) => make.auth.findCaller(token)));
      expect(new Set(callers.map((caller) => caller!.userId)).size).toBe(1);

      const kept = await findDemoToken(make.auth, sql, dataDir);
      expect(tokens).toContain(kept);
      const { userId, tokenId } = (await make.auth.findCaller(kept))!;
      await make.auth.revokeToken({ userId }, tokenId);
      const next = await findDemoToken(make.auth, sql, dataDir);
      expect(await make.auth.findCaller(next)).toMatchObject({ userId });
      expect(await findDemoToken(make.auth, sql, dataDir)).toBe(next);
    } finally {
      await database.close();
    }
  });

  it('is not needed by the command line, which starts the database itself, stops it and keeps its secrets', async () => {
    const dataDir = await workshop.folder();
    expect(await workshop.cli(embedded(dataDir), 'migration', 'run')).toMatchObject({ code: 0, stderr: '' });
    expect(await findPostmaster(dataDir)).toEqual({});
    const made = await workshop.cli(embedded(dataDir), 'user', 'create', '--email', 'ann@example.com');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(await findPostmaster(dataDir)).toEqual({});
    const token = await workshop.cli(embedded(dataDir), 'token', 'create', '--email', 'ann@example.com');
    expect(token).toMatchObject({ code: 0, stdout: expect.stringMatching(/^wins_[0-9a-f]{64}\n$/), stderr: '' });
    expect(await findPostmaster(dataDir)).toEqual({});
    const { mode } = await stat(join(dataDir, 'postgres'));
    expect(mode & 0o077).toBe(0);
  });

  if (process.getuid?.() === 0) {
    it('works, when started by root, below a folder that only root may enter', async () => {
      const dataDir = join(await workshop.folder(0o700), 'data');
      const server = await workshop.serve(embedded(dataDir));
      const { token } = await greeting(server);
      expect((await server.call('GET', '/api/v1/tags', { token })).status).toBe(200);
      const { pid, port } = await findPostmaster(dataDir);
      expect((await stat(`/proc/${pid}`)).uid).not.toBe(0);
      expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
      await expectStopped(dataDir, port!);
    });
  } else {
    console.info(
      'That root can start the embedded database below a folder of its own is tested only when root runs it.',
    );
  }
});

/** The address of the test run's database, changed. */
function testUrl(change: (url: URL) => void): string {
  const url = new URL(process.env.TEST_DATABASE_URL!);
  change(url);
  return url.href;
}

/** The modules of Node.js that a file of the bundle needs to be linked, directly or through others. */
async function importsOf(file: string): Promise<Set<string>> {
  const text = await readFile(file, 'utf8');
  const found = new Set<string>();
  for (const [, name] of text.matchAll(/(?:^|;)\s*(?:import|export)(?:[^'"()]*from)?\s*['"]([^'"]+)['"]/g)) {
    if (!name!.startsWith('.')) found.add(name!);
    else for (const inner of await importsOf(join(dirname(file), name!))) found.add(inner);
  }
  return found;
}

describe('A start that can not succeed ends with code 1 and one clear line', () => {
  it('where the port is taken, before a database is made', async () => {
    const blocker = createServer();
    const port = await freePort();
    await new Promise<void>((done) => blocker.listen(port, '127.0.0.1', done));
    const dataDir = join(await workshop.folder(), 'data');
    try {
      expectRefused(
        await workshop.failToServe({ PORT: String(port), DATA_DIR: dataDir }),
        `Port ${port} on 127.0.0.1 is already in use. Set PORT to another one.`,
      );
    } finally {
      blocker.close();
    }
    await expect(stat(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('where the port of the metrics is taken, by the service itself too', async () => {
    const port = String(await freePort());
    expectRefused(
      await workshop.failToServe({ PORT: port, METRICS_PORT: port }),
      'Invalid configuration:',
      '  METRICS_PORT: must differ from PORT',
    );
  });

  it('where Node.js is too old, of which nothing else is loaded', async () => {
    const { engines } = JSON.parse(await readFile('package.json', 'utf8')) as { engines: { node: string } };
    const [needed] = /[\d.]+$/.exec(engines.node)!;
    const version = `${Number.parseInt(needed, 10) - 1}.99.0`;
    const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}` };
    const line = `Node.js ${needed} or newer is needed, this is ${version}. Install a newer one, see https://nodejs.org.`;
    expectRefused(await workshop.failToServe(env), line);
    expectRefused(await workshop.cli(env, '--help'), line);
    expect([...(await importsOf('dist/main.js'))].toSorted()).toEqual(['node:fs', 'node:module', 'node:v8']);
    expect([...(await importsOf('dist/cli.js'))].toSorted()).toEqual(['node:fs', 'node:module']);
  });

  it('where the database has another encoding than UTF8', async () => {
    const database = await workshop.database();
    const name = `ascii_${randomUUID().replaceAll('-', '')}`;
    await database.query(`create database ${name} template template0 encoding 'SQL_ASCII' locale 'C'`);
    try {
      expectRefused(
        await workshop.failToServe({ DATABASE_URL: testUrl((url) => (url.pathname = `/${name}`)) }),
        /^The database encoding must be UTF8, but is SQL_ASCII\. Create a database with: create database /,
      );
    } finally {
      await database.query(`drop database ${name}`);
    }
  });

  it("where the database's user lacks the rights for migrations, or to see whether there are any", async () => {
    const { url, database } = await workshop.migrated();
    await database.close();
    const empty = await workshop.database();
    const role = `weak_${randomUUID().replaceAll('-', '')}`;
    await empty.query(`create role ${role} login password 'weak'`);
    const as = (address: string) => Object.assign(new URL(address), { username: role, password: 'weak' }).href;
    try {
      const [migrating, blind] = await Promise.all([
        workshop.failToServe({ DATABASE_URL: as(empty.url) }),
        workshop.failToServe({ DATABASE_URL: as(url), MIGRATIONS: 'off' }),
      ]);
      expectRefused(migrating, /^Can't bring the schema up to date: permission denied .* needs the CREATE privilege /);
      expectRefused(blind, /^The database lacks migrations .*, or its user may not read the table "migrations"\. Run /);
    } finally {
      await empty.query(`drop role ${role}`);
    }
  });

  it('where DATABASE_URL leads nowhere, with a wrong password, or to a database that is not there', async () => {
    const port = await freePort();
    const [nowhere, stranger, missing] = await Promise.all([
      workshop.failToServe({
        ...HURRIED,
        LOG_LEVEL: 'silent',
        DATABASE_URL: `postgres://ann:secret@127.0.0.1:${port}/wins`,
      }),
      workshop.failToServe({ DATABASE_URL: testUrl((url) => (url.password = 'not-the-password')) }),
      workshop.failToServe({ DATABASE_URL: testUrl((url) => (url.pathname = '/no_such_database')) }),
    ]);
    expectRefused(
      nowhere,
      new RegExp(`^Can't use the database "wins" at 127.0.0.1:${port}: .*ECONNREFUSED.* Check DATABASE_URL`),
    );
    expectRefused(
      stranger,
      /^Can't use the database .*: password authentication failed for user .* Check DATABASE_URL/,
    );
    expectRefused(missing, /^Can't use the database "no_such_database" .*: .*does not exist\. Check DATABASE_URL/);
    for (const { stderr } of [nowhere, stranger, missing]) expect(stderr).not.toMatch(/secret|not-the-password/);
  });

  it('where the data folder can not be written', async () => {
    const file = join(await workshop.folder(), 'file');
    await writeFile(file, 'mine');
    expectRefused(
      await workshop.failToServe({ DATA_DIR: file }),
      `Can't write to the data folder ${file} (EEXIST). Set DATA_DIR to a writable one.`,
    );
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  it('for each of several wrong settings, those of the file .env among them', async () => {
    const cwd = await workshop.folder();
    await writeFile(join(cwd, '.env'), 'LOG_LEVEL=loud\nMIGRATIONS=off\n');
    const env = { DATABASE_URL: 'not a url', PORT: '70000', MIGRATIONS: 'perhaps', DATABASE_POOL_SIZE: '0' };
    const ending = await workshop.failToServe(env, cwd);
    expectRefused(
      { ...ending, stderr: ending.stderr.split('\n').toSorted().join('\n').trimStart() },
      /^ *DATABASE_POOL_SIZE: must be a whole number/,
      /^ {2}DATABASE_URL: must look like postgres:/,
      /^ {2}LOG_LEVEL: .*loud/,
      /^ {2}MIGRATIONS: .*perhaps/,
      /^ {2}PORT: must be a whole number from 1 to 65535$/,
      'Invalid configuration:',
    );
  });

  it('in production without DATABASE_URL, and leaves no database behind', async () => {
    const cwd = await workshop.folder();
    expectRefused(
      await workshop.failToServe({ NODE_ENV: 'production' }, cwd),
      'Invalid configuration:',
      /^ {2}DATABASE_URL: /,
    );
    expect(await readdir(cwd)).toEqual([]);
  });

  it('with MIGRATIONS=off on an empty database, and leaves that empty', async () => {
    const database = await workshop.database();
    expectRefused(
      await workshop.failToServe({ DATABASE_URL: database.url, MIGRATIONS: 'off' }),
      /^The database lacks migrations \(Initial\d+.*\), .* Run "node dist\/cli\.js migration run" first, or start the service with MIGRATIONS=on\.$/,
    );
    const tables = `select relname from pg_class where relnamespace = 'public'::regnamespace`;
    expect(await database.query(tables)).toEqual([]);
  });
});

describe('The log in production', () => {
  let server: Service;
  let person: Person;

  beforeAll(async () => {
    const { url } = await workshop.database();
    server = await workshop.serve({ NODE_ENV: 'production', DATABASE_URL: url, LOG_LEVEL: 'trace' });
    person = await personIn(url);
  });
  afterAll(() => server.stop());

  /** Waits for the line of a request, and returns it with the whole log. */
  const lineOf = async (requestId: string) => {
    await until(() => server.stdout.includes(requestId));
    const lines = server.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    return lines.filter(({ reqId }) => reqId === requestId);
  };

  it('is a JSON line for each request: which, who, what, and how long it took', async () => {
    const answer = await server.call('GET', '/api/v1/tags?page=1', { token: person.token });
    const lines = await lineOf(answer.headers.get('x-request-id')!);
    expect(lines).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        pid: expect.any(Number),
        hostname: expect.any(String),
        reqId: answer.headers.get('x-request-id'),
        userId: person.id,
        method: 'GET',
        path: '/api/v1/tags',
        status: 200,
        durationMs: expect.any(Number),
        msg: 'request',
      },
    ]);
  });

  it('has a line for refused requests too, whose caller is unknown', async () => {
    const answer = await server.call('GET', '/api/v1/tags', { token: 'nonsense' });
    const [line] = await lineOf(answer.headers.get('x-request-id')!);
    expect(line).toMatchObject({ status: 401, path: '/api/v1/tags' });
    expect(line).not.toHaveProperty('userId');
  });

  it('does not blame the database for a client that leaves in the middle of its body', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' };
    socket.write(
      rawRequest('POST', '/api/v1/tags', { ...headers, 'content-length': '99', 'x-request-id': 'left' }, '{'),
    );
    const later = async () => {
      let last = '';
      for (let n = 0; n < 5; n++) {
        last = (await server.call('GET', '/api/v1/me', { token: person.token })).headers.get('x-request-id')!;
      }
      return lineOf(last);
    };
    await later();
    socket.destroy();
    expect(await later()).toHaveLength(1);
    expect(server.stdout).not.toContain('unavailable');
  });

  it('never has a token, a header or an email in it, wherever a client puts them', async () => {
    const { token, email } = person;
    const encoded = token.replace('_', '%5f').replace(/[0-9a-f]$/, (digit) => `%${digit.charCodeAt(0).toString(16)}`);
    const answers = await Promise.all([
      server.call('GET', '/api/v1/me', { token }),
      server.call('GET', `/api/v1/tags?access_token=${token}&email=${email}`, { token }),
      server.call('GET', `/api/v1/tags/${token}`, { token }),
      server.call('GET', `/api/v1/tags/${encoded}`, { token }),
      server.call('GET', `/${token}`),
      server.call('GET', `/api/v1/${token}/x`),
      server.call('POST', '/api/v1/tags', { token, json: { access_token: token, tag: { name: '' } } }),
      server.call('POST', '/api/v1/tokens', { token, json: { token: { name: email } } }),
      server.call('GET', '/api/v1/tags', { token: token.slice(0, -1) }),
    ]);
    for (const { headers } of answers) expect(await lineOf(headers.get('x-request-id')!)).toHaveLength(1);
    const secret = token.slice(5, 40);
    for (const text of [secret, 'Bearer', 'authorization', email]) {
      expect(server.stdout.toLowerCase()).not.toContain(text.toLowerCase());
    }
    expect(server.stderr).toBe('');
  });
});
