import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createToken, digestOf } from '../../src/auth/token.js';
import { startEmbedded } from '../../src/database/embedded.js';
import type { Person } from './factories.js';
import { freePort } from './ports.js';

/** The service and PostgreSQL as processes that a test may kill. */

/** Waits for a condition. @param patience milliseconds after which it is an error */
export async function until(what: string, condition: () => unknown, patience = 15_000): Promise<void> {
  const deadline = performance.now() + patience;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not so within ${patience} ms: ${what}`);
    await sleep(20);
  }
}

export interface Reply {
  status: number;
  headers: Headers;
  body: unknown;
}

interface Request {
  token?: string;
  json?: unknown;
  signal?: AbortSignal;
}

/** Calls the service; fails where there is no answer. */
export async function call(url: string, method: string, path: string, { token, json, signal }: Request = {}) {
  const response = await fetch(url + path, {
    method,
    signal,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, body } satisfies Reply;
}

export const isReady = (url: string) =>
  call(url, 'GET', '/readyz', { signal: AbortSignal.timeout(5_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );

/** A database, past the service. */
export class Database {
  constructor(readonly url: string) {}

  /** Runs a statement in a session of its own. */
  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    const session = await this.session();
    try {
      return (await session.query(text, values)).rows as Row[];
    } finally {
      await session.end();
    }
  }

  async session(): Promise<Client> {
    const session = new Client({ connectionString: this.url });
    session.on('error', () => undefined);
    await session.connect();
    return session;
  }

  /** A session that holds a user's row, so that the user's writes wait until it lets go. */
  async holding({ id }: Person): Promise<{ release(): Promise<void> }> {
    const session = await this.session();
    await session.query('begin');
    await session.query('select from users where id = $1 for update', [id]);
    return { release: () => session.end() };
  }

  /** A user with a token. */
  async person(plan: 'free' | 'pro' = 'pro'): Promise<Person> {
    const email = `${randomUUID()}@example.com`;
    const text = 'insert into users (email, plan) values ($1, $2) returning id';
    const [user] = await this.query<{ id: string }>(text, [email, plan]);
    const id = Number(user!.id);
    return { id, email, token: await this.token(id) };
  }

  async token(userId: number, expiresAt: Date | null = null): Promise<string> {
    const token = createToken();
    const text = `insert into api_tokens (user_id, digest, name, scope, expires_at) values ($1, $2, 'Test', 'write', $3)`;
    await this.query(text, [userId, digestOf(token), expiresAt]);
    return token;
  }
}

/** A PostgreSQL server of a test's own. Its address stays the same over restarts. */
export class Postgres extends Database {
  private constructor(
    private readonly folder: string,
    url: string,
  ) {
    super(url);
  }

  static async start(): Promise<Postgres> {
    const folder = await mkdtemp(join(tmpdir(), 'wins-chaos-'));
    await chmod(folder, 0o755);
    const { url } = await startEmbedded(folder);
    return new Postgres(folder, url);
  }

  /** As if the power went. */
  async kill(): Promise<void> {
    await this.signal('SIGKILL');
  }

  /** Starts it again and resolves once it answers. What is left of the killed one has to be gone first. */
  async restart(): Promise<void> {
    const deadline = performance.now() + 20_000;
    for (;;) {
      try {
        await startEmbedded(this.folder, { port: Number(new URL(this.url).port) });
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(50);
      }
    }
  }

  async remove(): Promise<void> {
    await this.signal('SIGQUIT');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  private async signal(signal: NodeJS.Signals): Promise<void> {
    const file = join(this.folder, 'postgres', 'cluster', 'postmaster.pid');
    const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n', 1)[0]);
    if (pid === 0 || !isAlive(pid)) return;
    process.kill(pid, signal);
    await until(`PostgreSQL ends by ${signal}`, () => !isAlive(pid));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

interface LogLine {
  level: number;
  msg: string;
  reqId?: string;
}

/** A process of the service. */
export class Service {
  /** All that it printed. */
  output = '';
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  private readonly child: ChildProcess;

  /** @param env differs from the settings of a production without a limit of requests */
  constructor(
    readonly port: number,
    env: NodeJS.ProcessEnv,
  ) {
    this.child = spawn(process.execPath, [resolve('dist/main.js')], {
      cwd: tmpdir(), // no .env is read
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        LOG_LEVEL: 'warn',
        RATE_LIMIT_PER_MINUTE: '0',
        PORT: String(port),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.ended = new Promise((done) => this.child.once('close', (code, signal) => done({ code, signal })));
  }

  /** Starts the service and waits until it is ready. */
  static async start(databaseUrl: string, env: NodeJS.ProcessEnv = {}): Promise<Service> {
    const service = new Service(await freePort(), { DATABASE_URL: databaseUrl, ...env });
    await service.ready();
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** The lines of its log, each as an object. */
  get log(): LogLine[] {
    const lines = this.output.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  call = (method: string, path: string, request?: Request) => call(this.url, method, path, request);

  async ready(): Promise<void> {
    await until(
      'the service is ready',
      async () => {
        if (this.hasEnded) throw new Error(`The service ended:\n${this.output}`);
        return isReady(this.url);
      },
      45_000,
    );
  }

  kill = (signal: NodeJS.Signals) => this.child.kill(signal);

  /** Ends it, if a test has not. */
  async stop(): Promise<void> {
    if (!this.hasEnded) this.child.kill('SIGKILL');
    await this.ended;
  }
}
