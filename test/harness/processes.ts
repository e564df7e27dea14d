import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase, type Database } from '../../src/database/database.js';
import { Factory } from './factories.js';
import { createDatabase, type FreshDatabase } from './fresh-database.js';
import { freePort } from './ports.js';
import { until } from './until.js';

/** The built programs as real processes, and databases and folders of their own for them. */

export const MAIN = resolve('dist/main.js');
const CLI = resolve('dist/cli.js');

/** Lets a process believe that a hundred seconds pass in each one: what it waits for long is over soon. */
export const HURRIED = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    'const { now } = Date; const began = now(); Date.now = () => began + (now() - began) * 100',
  )}`,
};

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A process of this machine. */
export class Process {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ending>;
  private readonly child: ChildProcess;

  /** @param env its environment, to which only `PATH` is added; that of the tests where it is left out */
  constructor(program: string, args: string[], env?: NodeJS.ProcessEnv, cwd?: string) {
    this.child = spawn(program, args, {
      cwd,
      env: env && { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = new Promise((done) =>
      this.child.once('close', (code, signal) => done({ code, signal, stdout: this.stdout, stderr: this.stderr })),
    );
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends a signal and waits for the end. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ending> {
    this.kill(signal);
    return this.ended;
  }
}

/** A process of the service that answers. */
export class Server extends Process {
  constructor(
    readonly url: string,
    env: NodeJS.ProcessEnv,
    cwd: string,
  ) {
    super(process.execPath, [MAIN], env, cwd);
  }

  /** Calls the API. @returns the answer with its body, read as JSON where there is one */
  async call(method: string, path: string, token?: string, json?: unknown) {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }
}

/** What a test file uses up: processes, databases and folders. `clean()` takes all of it away. */
export class Workshop {
  private readonly processes: Process[] = [];
  private readonly databases: FreshDatabase[] = [];
  private readonly folders: string[] = [];
  private readonly dataDirs = new Set<string>();

  /** Where processes run unless told otherwise: an empty folder, so that no `.env` is read. */
  private cwd: Promise<string> | undefined;

  /** Starts the service on a free port and waits until it answers. */
  async serve(env: NodeJS.ProcessEnv): Promise<Server> {
    const port = await freePort();
    const server = new Server(`http://127.0.0.1:${port}`, { PORT: String(port), ...env }, await this.emptyFolder());
    this.add(server, env);
    await until(async () => {
      if (server.hasEnded) throw new Error(`The service did not start:\n${server.stdout}${server.stderr}`);
      return fetch(`${server.url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    }, 60_000);
    return server;
  }

  /** Runs the service where it is expected to end at once. */
  async failToServe(env: NodeJS.ProcessEnv, cwd?: string): Promise<Ending> {
    return this.run([MAIN], { PORT: String(await freePort()), ...env }, cwd);
  }

  /** Runs one of the operator's commands. */
  async cli(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ending> {
    return this.run([CLI, ...args], env);
  }

  private async run(args: string[], env: NodeJS.ProcessEnv, cwd?: string): Promise<Ending> {
    const started = new Process(process.execPath, args, env, cwd ?? (await this.emptyFolder()));
    this.add(started, env);
    return started.ended;
  }

  private add(process: Process, { DATA_DIR }: NodeJS.ProcessEnv): void {
    this.processes.push(process);
    if (DATA_DIR !== undefined) this.dataDirs.add(DATA_DIR);
  }

  private emptyFolder(): Promise<string> {
    return (this.cwd ??= this.folder());
  }

  /** A folder of its own. @param mode whether others than its owner may enter it */
  async folder(mode = 0o755): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'wins-test-'));
    this.folders.push(folder);
    await chmod(folder, mode);
    return folder;
  }

  /** An empty database on the server of the test run. @param settings its defaults for every session */
  async database(settings: Record<string, string> = {}): Promise<FreshDatabase> {
    const database = await createDatabase(settings);
    this.databases.push(database);
    return database;
  }

  /** A migrated database of its own, which the caller closes, and a factory for it. */
  async migrated(): Promise<{ url: string; database: Database; make: Factory }> {
    const { url } = await this.database();
    const database = await openDatabase(loadConfig({ NODE_ENV: 'test', DATABASE_URL: url, DATABASE_POOL_SIZE: '2' }));
    return { url, database, make: new Factory(database.dataSource) };
  }

  async clean(): Promise<void> {
    await Promise.all(this.processes.filter(({ hasEnded }) => !hasEnded).map((process) => process.stop('SIGKILL')));
    for (const database of this.databases) await database.drop();
    for (const dataDir of this.dataDirs) {
      const { pid } = await findPostmaster(dataDir);
      if (pid !== undefined && isAlive(pid)) {
        process.kill(pid, 'SIGQUIT');
        await until(() => !isAlive(pid));
      }
    }
    await Promise.all(this.folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The embedded database that runs on a data folder, as the file tells that it keeps while it runs. */
export async function findPostmaster(dataDir: string): Promise<{ pid?: number; port?: number }> {
  const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  return lines.length > 3 ? { pid: Number(lines[0]), port: Number(lines[3]) } : {};
}

/** Exactly these lines on standard error, nothing else anywhere, and code 1. */
export function expectRefused({ code, stdout, stderr }: Ending, ...lines: (string | RegExp)[]): void {
  expect(stderr.trimEnd().split('\n')).toEqual(
    lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
}
