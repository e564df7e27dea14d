import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';

/** The built programs as real processes, and databases and folders of their own for them. */

const MAIN = resolve('dist/main.js');
const CLI = resolve('dist/cli.js');

/** Waits for a condition. @param patience in milliseconds; what is not so by then fails the test */
export async function until(condition: () => unknown, patience = 15_000): Promise<void> {
  const deadline = Date.now() + patience;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`In ${patience} ms this did not come true: ${condition.toString()}`);
    await setTimeout(20);
  }
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A process with an environment of its own: only what is given, and `PATH`. */
export class Process {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ending>;
  private readonly child: ChildProcess;

  constructor(program: string, args: string[], env: NodeJS.ProcessEnv, cwd: string) {
    this.child = spawn(process.execPath, [program, ...args], {
      cwd,
      env: { PATH: process.env.PATH, ...env },
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

  /** Sends a signal and waits for the end. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ending> {
    this.child.kill(signal);
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
    super(MAIN, [], env, cwd);
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
  private readonly databases: string[] = [];
  private readonly folders: string[] = [];

  /** Where processes run unless told otherwise: an empty folder, so that no `.env` is read. */
  private cwd: Promise<string> | undefined;

  /** Starts the service on a free port and waits until it answers. */
  async serve(env: NodeJS.ProcessEnv): Promise<Server> {
    const port = await freePort();
    const server = new Server(`http://127.0.0.1:${port}`, { PORT: String(port), ...env }, await this.emptyFolder());
    this.processes.push(server);
    await until(async () => {
      if (server.hasEnded) throw new Error(`The service did not start:\n${server.stdout}${server.stderr}`);
      return fetch(`${server.url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    }, 25_000);
    return server;
  }

  /** Runs the service where it is expected to end at once. */
  async failToServe(env: NodeJS.ProcessEnv, cwd?: string): Promise<Ending> {
    return this.run(MAIN, [], { PORT: String(await freePort()), ...env }, cwd);
  }

  /** Runs one of the operator's commands. */
  async cli(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ending> {
    return this.run(CLI, args, env);
  }

  private async run(program: string, args: string[], env: NodeJS.ProcessEnv, cwd?: string): Promise<Ending> {
    const process = new Process(program, args, env, cwd ?? (await this.emptyFolder()));
    this.processes.push(process);
    return process.ended;
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

  /** An empty database on the server of the test run. @returns its connection string */
  async database(): Promise<string> {
    const name = `wins_test_${randomBytes(8).toString('hex')}`;
    await onTestServer(`create database ${name} encoding 'UTF8' template template0`);
    this.databases.push(name);
    const url = new URL(process.env.TEST_DATABASE_URL!);
    url.pathname = name;
    return url.href;
  }

  async clean(): Promise<void> {
    await Promise.all(this.processes.filter(({ hasEnded }) => !hasEnded).map((process) => process.stop('SIGKILL')));
    for (const name of this.databases) await onTestServer(`drop database ${name} with (force)`);
    for (const folder of this.folders) {
      const { pid } = await findPostmaster(folder);
      if (pid !== undefined) {
        process.kill(pid, 'SIGQUIT');
        await until(async () => (await findPostmaster(folder)).pid === undefined);
      }
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** The embedded database that runs on a data folder, as the file tells that it keeps while it runs. */
export async function findPostmaster(dataDir: string): Promise<{ pid?: number; port?: number }> {
  const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  return lines.length > 3 ? { pid: Number(lines[0]), port: Number(lines[3]) } : {};
}

/** Whether anything listens on a port of this machine. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return address !== null && typeof address === 'object' ? address.port : 0;
}

async function onTestServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: process.env.TEST_DATABASE_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
