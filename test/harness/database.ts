import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { createToken, digestOf } from '../../src/auth/token.js';
import { startEmbedded } from '../../src/database/embedded.js';
import type { Person } from './factories.js';
import { findPostmaster, isAlive } from './processes.js';
import { until } from './until.js';

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
    const token = createToken(userId);
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
    const { pid } = await findPostmaster(this.folder);
    if (pid === undefined || !isAlive(pid)) return;
    process.kill(pid, signal);
    await until(() => !isAlive(pid));
  }
}
