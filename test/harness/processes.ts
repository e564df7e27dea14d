import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase, type Database } from '../../src/database/database.js';
import { call, succeeds, type Request } from './call.js';
import { Factory } from './factories.js';
import { createDatabase, type FreshDatabase } from './fresh-database.js';
import { freePort } from './ports.js';
import { until } from './until.js';

/** The built programs as real processes, and databases and folders of their own for them. */

export const MAIN = resolve('dist/main.js');
export const CLI = resolve('dist/cli.js');

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

/** Settings of a production without a limit of requests, which logs what is wrong. */
export const PRODUCTION = { NODE_ENV: 'production', LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '0' };

interface LogLine {
  level: number;
  msg: string;
  reqId?: string;
}

/** A process of the service. */
export class Service extends Process {
  constructor(
    readonly port: number,
    env: NodeJS.ProcessEnv,
    cwd = tmpdir(), // no .env is read
  ) {
    super(process.execPath, [MAIN], { PORT: String(port), ...env }, cwd);
  }

  /** Starts the service and waits until it is ready. @param env differs from `PRODUCTION` */
  static async start(databaseUrl: string, env: NodeJS.ProcessEnv = {}): Promise<Service> {
    const service = new Service(await freePort(), { ...PRODUCTION, DATABASE_URL: databaseUrl, ...env });
    await service.ready();
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** All that it printed. */
  get output(): string {
    return this.stdout + this.stderr;
  }

  /** The lines of its log, each as an object. */
  get log(): LogLine[] {
    const lines = this.output.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  call = (method: string, path: string, request?: Request) => call(this.url, method, path, request);

  /** Waits until it is ready, or, where its database may be away, until it is alive. */
  async ready(check: 'readyz' | 'healthz' = 'readyz'): Promise<void> {
    await until(async () => {
      if (this.hasEnded) throw new Error(`The service did not start:\n${this.output}`);
      return succeeds(`${this.url}/${check}`);
    }, 60_000);
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
  async serve(env: NodeJS.ProcessEnv): Promise<Service> {
    const service = new Service(await freePort(), env, await this.emptyFolder());
    this.add(service, env);
    await service.ready('healthz');
    return service;
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

export function isAlive(pid: number): boolean {
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
