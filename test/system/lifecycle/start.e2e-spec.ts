import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, isListening } from '../../harness/ports.js';
import { expectRefused, findPostmaster, HURRIED, Process, Workshop, type Ending } from '../../harness/processes.js';
import { until } from '../../harness/until.js';

// A first start takes seconds, and many more where the machine is busy.
import.meta.jest.setTimeout(600_000);

/** Milliseconds that a busy machine may take for what an idle one does in one second. */
const PATIENCE = 60_000;

const MAIN = resolve('dist/main.js');
const CLI = resolve('dist/cli.js');
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

const workshop = new Workshop();
const started: Process[] = [];
afterEach(() => Promise.all(started.splice(0).map((process) => process.hasEnded || process.stop('SIGKILL'))));
afterAll(() => workshop.clean());

/** Starts a program on a data folder and does not wait. */
async function begin(dataDir: string, env: NodeJS.ProcessEnv = {}, program = [MAIN]): Promise<Process> {
  const port = String(await freePort());
  const all = { PORT: port, DATA_DIR: dataDir, LOG_LEVEL: 'info', ...env };
  const server = new Process(process.execPath, program, all, await workshop.folder());
  started.push(server);
  return server;
}

const isUp = (process: Process) =>
  until(() => {
    if (process.hasEnded) throw new Error(`It ended:\n${process.stdout}${process.stderr}`);
    return process.stdout.includes('Token ');
  }, PATIENCE);

/** The processes that have to do with a folder. */
async function processesOf(folder: string): Promise<string[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(folder)).map((line) => line.replaceAll('\0', ' '));
}

/** Nothing runs any more, and nothing half-made lies about. */
async function expectNothingLeft(dataDir: string): Promise<void> {
  await until(async () => (await processesOf(dataDir)).every((line) => !line.includes('postgres')), PATIENCE);
  expect(await findPostmaster(dataDir)).toEqual({});
  const names = await readdir(dataDir).catch(() => []);
  expect(names.filter((name) => !['demo-token', 'postgres'].includes(name))).toEqual([]);
}

/** The service starts there, answers and stops. */
async function expectToStart(dataDir: string): Promise<void> {
  const server = await begin(dataDir);
  await isUp(server);
  expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
  await expectNothingLeft(dataDir);
}

const draftIn = (dataDir: string) =>
  until(async () => (await readdir(dataDir).catch(() => [])).some((name) => name.includes('draft-')), PATIENCE);

/** Lets a program run into an error at a place of its own. */
const preload = (code: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` });

describe('A first start on the embedded database', () => {
  const MOMENTS = 8;

  it('leaves nothing running and nothing half-made, whenever a signal ends it', async () => {
    const folder = await workshop.folder();
    const control = performance.now();
    const whole = await begin(join(folder, 'whole'));
    await isUp(whole);
    const duration = performance.now() - control;
    await whole.stop();

    const seen: unknown[] = [];
    for (let moment = 1; moment <= MOMENTS; moment++) {
      const dataDir = join(folder, `at-${moment}`);
      const server = await begin(dataDir);
      await sleep((duration * moment) / MOMENTS);
      const signal = SIGNALS[moment % 2]!;
      const { code, signal: by, stderr } = await server.stop(signal);
      seen.push({ moment, code, by });
      // Before a signal can be heard at all, it ends the process by itself.
      expect({ code, stderr }).toEqual({ code: by === null ? 0 : null, stderr: '' });
      await expectNothingLeft(dataDir);
      await expectToStart(dataDir);
    }
    console.info(`A first start took ${Math.round(duration)} ms; signals at tenths of it: ${JSON.stringify(seen)}`);
  });

  it.each([...SIGNALS, 'SIGQUIT'] as const)(
    'ends by %s while the database is made, and takes it away',
    async (signal) => {
      const dataDir = join(await workshop.folder(), 'data');
      const server = await begin(dataDir);
      await draftIn(dataDir);
      expect(await server.stop(signal)).toMatchObject({ code: 0, stderr: '' });
      await expectNothingLeft(dataDir);
    },
  );

  it('is completed by the next one where it was killed, which takes the rest away', async () => {
    const dataDir = join(await workshop.folder(), 'data');
    const server = await begin(dataDir);
    await draftIn(dataDir);
    await server.stop('SIGKILL');
    await expectToStart(dataDir);
  });

  it('of two at once survives the end of the other', async () => {
    const dataDir = join(await workshop.folder(), 'data');
    const [one, other] = await Promise.all([begin(dataDir), begin(dataDir)]);
    await draftIn(dataDir);
    await one.stop('SIGINT');
    await isUp(other);
    expect(await other.stop()).toMatchObject({ code: 0, stderr: '' });
    await expectNothingLeft(dataDir);
  });

  if (process.platform !== 'win32') {
    it('says in one line that the disk is full, and leaves nothing', async () => {
      const dataDir = join(await workshop.folder(), 'data');
      const env = { DATA_DIR: dataDir, PORT: String(await freePort()) };
      const limited = new Process('sh', ['-c', 'ulimit -f 100; exec "$0" "$1"', process.execPath, MAIN], env);
      started.push(limited);
      expectRefused(await limited.ended, /^Can't (run the embedded database in|write to the data folder) /);
      expect(await readdir(dataDir)).toEqual([]);
    });
  }

  it('of the command line leaves nothing either', async () => {
    const dataDir = join(await workshop.folder(), 'data');
    const command = await begin(dataDir, {}, [CLI, 'migration', 'run']);
    await draftIn(dataDir);
    expect(await command.stop('SIGINT')).toMatchObject({ code: 130, stdout: '', stderr: '' });
    await expectNothingLeft(dataDir);
    expect(await workshop.cli({ DATA_DIR: dataDir }, 'migration', 'run')).toMatchObject({ code: 0, stderr: '' });
    await expectNothingLeft(dataDir);
  });

  it('of `npm run dev` leaves nothing either', async () => {
    const dataDir = join(await workshop.folder(), 'data');
    const env = { DATA_DIR: dataDir, PORT: String(await freePort()), PATH: process.env.PATH };
    const dev = new Process(resolve('node_modules/.bin/tsx'), ['dev.ts'], env);
    started.push(dev);
    await draftIn(dataDir);
    expect(await dev.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
    await expectNothingLeft(dataDir);
  });
});

describe('The embedded database is stopped', () => {
  it('where the application can not be made', async () => {
    const dataDir = await workshop.folder();
    const fault = `import http from 'node:http'; http.createServer = () => { throw new Error('no server today') }`;
    const server = await begin(dataDir, preload(fault));
    const { code, stderr } = await server.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('no server today');
    await expectNothingLeft(dataDir);
  });

  it('where the port is taken after it was looked at', async () => {
    const dataDir = await workshop.folder();
    const fault = `
      import { Server } from 'node:net'; const { listen } = Server.prototype; let calls = 0;
      const port = Number(process.env.PORT);
      Server.prototype.listen = function (...args) {
        const wanted = typeof args[0] === 'object' ? args[0].port : args[0];
        if (wanted === port && ++calls > 1) {
          setImmediate(() => this.emit('error', Object.assign(new Error('taken'), { code: 'EADDRINUSE', port })));
          return this;
        }
        return listen.apply(this, args);
      }`;
    const server = await begin(dataDir, preload(fault));
    const { code, stderr } = await server.ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^Port \d+ on .* is already in use\. .*\n$/),
    });
    await expectNothingLeft(dataDir);
  });

  it('where the demo token can not be written, which is said in one line and makes no token', async () => {
    const dataDir = await workshop.folder();
    await mkdir(join(dataDir, 'demo-token'));
    const { code, stderr } = await (await begin(dataDir)).ended;
    const line = `Can't write the demo token ${join(dataDir, 'demo-token')} (EISDIR). Make it writable or remove it.\n`;
    expect({ code, stderr }).toEqual({ code: 1, stderr: line });
    await expectNothingLeft(dataDir);
    const users = await workshop.cli({ DATA_DIR: dataDir }, 'user', 'list', '--json');
    expect(JSON.parse(users.stdout)).toEqual([]);
  });

  it('where an error is caught by nobody', async () => {
    const dataDir = await workshop.folder();
    const server = await begin(dataDir, preload(`process.on('SIGUSR2', () => { throw new Error('by nobody') })`));
    await isUp(server);
    server.kill('SIGUSR2');
    const { code, stdout } = await server.ended;
    expect(code).toBe(1);
    expect(stdout).toContain('by nobody');
    await expectNothingLeft(dataDir);
  });

  it('where a second signal ends the process at once', async () => {
    const dataDir = await workshop.folder();
    const server = await begin(dataDir, { SHUTDOWN_DELAY: '300000' });
    await isUp(server);
    server.kill('SIGINT');
    await until(() => server.stdout.includes('SIGINT: stopping'));
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 1 });
    await expectNothingLeft(dataDir);
  });

  it('where nobody reads any more what a command prints', async () => {
    const dataDir = await workshop.folder();
    await workshop.cli({ DATA_DIR: dataDir }, 'migration', 'run');
    const line = '"$0" "$1" migration list | true';
    const piped = new Process('sh', ['-c', line, process.execPath, CLI], { DATA_DIR: dataDir });
    started.push(piped);
    await piped.ended;
    await expectNothingLeft(dataDir);
  });

  if (process.platform === 'linux') {
    it('where its terminal is closed', async () => {
      const folder = await workshop.folder();
      const dataDir = join(folder, 'data');
      const file = join(folder, 'pid');
      const env = { DATA_DIR: dataDir, PORT: String(await freePort()) };
      const command = `echo $$ > ${file}; exec ${process.execPath} ${MAIN}`;
      const terminal = new Process('script', ['--quiet', '--return', '--command', command, '/dev/null'], env, folder);
      started.push(terminal);
      await isUp(terminal);
      process.kill(Number(await readFile(file, 'utf8')), 'SIGHUP');
      expect((await terminal.ended).code).toBe(0);
      await expectNothingLeft(dataDir);
    });
  }
});

describe('The data folder', () => {
  it('keeps the demo token from others than its owner, whatever the file was like before', async () => {
    const dataDir = await workshop.folder();
    const file = join(dataDir, 'demo-token');
    await writeFile(file, 'old');
    await chmod(file, 0o644);
    await expectToStart(dataDir);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('is usable again where the id of a server that crashed is that of another process by now', async () => {
    const dataDir = await workshop.folder();
    const server = await begin(dataDir);
    await isUp(server);
    const { pid, port } = await findPostmaster(dataDir);
    await server.stop('SIGKILL');
    process.kill(pid!, 'SIGKILL');
    await until(async () => !(await isListening(port!)), PATIENCE);
    await until(async () => (await processesOf(dataDir)).length === 0, PATIENCE);
    const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
    const { uid, gid } = await stat(file);
    const other = spawn('sleep', ['600'], { uid, gid, stdio: 'ignore' });
    try {
      await writeFile(file, (await readFile(file, 'utf8')).replace(String(pid), String(other.pid)));
      await expectToStart(dataDir);
    } finally {
      other.kill();
    }
  });

  if (process.getuid?.() === 0) {
    it('of another account is refused in one line', async () => {
      const folder = await workshop.folder();
      const dataDir = join(folder, 'data');
      await mkdir(dataDir);
      const port = String(await freePort());
      const args = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, MAIN];
      const stranger = new Process('setpriv', args, { DATA_DIR: dataDir, PORT: port }, folder);
      started.push(stranger);
      expectRefused(
        await stranger.ended,
        `Can't write to the data folder ${dataDir} (EACCES). Set DATA_DIR to a writable one.`,
      );
      expect(await readdir(dataDir)).toEqual([]);
    });
  }
});

/** Passes connections on to the database of the test run, once it is opened. */
class Door {
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((near) => {
    const far = connect(Number(new URL(process.env.TEST_DATABASE_URL!).port), '127.0.0.1');
    for (const socket of [near, far]) this.#sockets.add(socket.on('error', () => undefined));
    near.pipe(far).pipe(near);
  });

  constructor(readonly port: number) {}

  /** @param url of a database behind it */
  url(url: string): string {
    return Object.assign(new URL(url), { port: String(this.port) }).href;
  }

  async open(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(this.port, '127.0.0.1', done));
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe('A start before its database', () => {
  const WAITING = /Waiting for the database, at most 60 s: Can't use the database .*ECONNREFUSED/;
  const isWaiting = (server: Process) => until(() => WAITING.test(server.stdout), PATIENCE);
  let door: Door;
  let env: NodeJS.ProcessEnv;

  const at = (what: Partial<URL>) => ({
    ...env,
    DATABASE_URL: Object.assign(new URL(env.DATABASE_URL!), what).href,
  });

  beforeEach(async () => {
    door = new Door(await freePort());
    const { url } = await workshop.database();
    env = { NODE_ENV: 'production', DATABASE_URL: door.url(url) };
  });
  afterEach(() => door.close());

  it('says why it waits, once, and succeeds when the database is there', async () => {
    const port = await freePort();
    const server = await begin('unused', { ...env, PORT: String(port) });
    await isWaiting(server);
    expect(await isListening(port)).toBe(false);
    await door.open();
    await until(async () => {
      if (server.hasEnded) throw new Error(`It ended:\n${server.stdout}${server.stderr}`);
      return fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    }, PATIENCE);
    expect(server.stdout.match(new RegExp(WAITING, 'g'))).toHaveLength(1);
    expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(SIGNALS)('ends by %s meanwhile, with code 0', async (signal) => {
    const server = await begin('unused', env);
    await isWaiting(server);
    expect(await server.stop(signal)).toMatchObject({ code: 0, stderr: '' });
  });

  it('ends with the reason once it has waited long enough, and so do commands, which wait less', async () => {
    const refusal =
      /^Can't use the database .*ECONNREFUSED.* Check DATABASE_URL and that PostgreSQL is running there\.\n$/;
    const server = await begin('unused', { ...env, ...HURRIED });
    const endings: Ending[] = [await server.ended, await workshop.cli(env, 'user', 'list')];
    for (const { code, stderr } of endings) {
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(refusal) });
    }
    expect(server.stdout).toMatch(WAITING);
  });

  it('does not wait where that would not help: for another password, or a database that is not there', async () => {
    await door.open();
    const servers = await Promise.all([
      begin('unused', at({ password: 'wrong' })),
      begin('unused', at({ pathname: '/no_such_database' })),
    ]);
    for (const server of servers) {
      expect((await server.ended).code).toBe(1);
      expect(server.stdout).not.toMatch(/Waiting/);
    }
  });
});

describe('A signal after another one', () => {
  it.each([
    ['SIGINT', 'SIGTERM'],
    ['SIGTERM', 'SIGINT'],
  ] as const)('ends the process at once (%s, then %s), and begins nothing anew', async (first, second) => {
    const { url } = await workshop.database();
    const server = await workshop.serve({ DATABASE_URL: url, LOG_LEVEL: 'info', SHUTDOWN_DELAY: '300000' });
    server.kill(first);
    await until(() => server.stdout.includes(`${first}: stopping`));
    server.kill(second);
    await until(() => server.hasEnded, PATIENCE);
    expect((await server.ended).code).toBe(1);
    expect(server.stdout).not.toContain(`${second}: stopping`);
  });

  it('does so while the start is under way', async () => {
    const dataDir = join(await workshop.folder(), 'data');
    const server = await begin(dataDir);
    await draftIn(dataDir);
    server.kill('SIGTERM');
    server.kill('SIGINT');
    await server.ended;
    await expectNothingLeft(dataDir);
    await rm(dataDir, { recursive: true });
  });
});

describe('GET /readyz of an instance that is about to stop', () => {
  it('says so, and the log does not blame the database', async () => {
    const { url } = await workshop.database();
    const env = { NODE_ENV: 'production', DATABASE_URL: url, LOG_LEVEL: 'info', SHUTDOWN_DELAY: '300000' };
    const server = await workshop.serve(env);
    server.kill('SIGTERM');
    await until(async () => (await server.call('GET', '/readyz')).status === 503);
    expect(await server.call('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { code: 'draining', error: 'This instance is about to stop; send requests to another' },
    });
    server.kill('SIGINT');
    await server.ended;
    expect(server.stdout).toContain('"status":503');
    expect(server.stdout).not.toContain('unavailable');
  });
});
