import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from './ports.js';

const execute = promisify(execFile);

const BIN = process.env.POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin';
const PASSWORD = 'secret';

/** Runs one of PostgreSQL's programs, as root in the name of the account `postgres`. */
export async function run(program: string, ...args: string[]): Promise<void> {
  const command = [join(BIN, program), ...args];
  const [file, ...rest] = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command;
  await execute(file!, rest, { cwd: '/' });
}

/** An installed PostgreSQL (Debian's package `postgresql-15`) as a process of a test's own, on a port that stays. */
export class PostgresServer {
  private constructor(
    private readonly folder: string,
    readonly port: number,
  ) {}

  /** Makes a server and starts it. @param settings differ from its defaults, as in `postgresql.conf` */
  static async start(settings: Record<string, string> = {}): Promise<PostgresServer> {
    const server = await PostgresServer.create();
    await writeFile(join(server.folder, 'password'), PASSWORD);
    const options = ['--username=postgres', '--encoding=UTF8', '--locale=C.UTF-8', '--auth=scram-sha-256', '--no-sync'];
    await run('initdb', '-D', server.cluster, `--pwfile=${join(server.folder, 'password')}`, ...options);
    await server.launch({ wal_log_hints: 'on', ...settings });
    return server;
  }

  /** A standby of another server, as fresh as can be, that runs. */
  static async standbyOf(primary: PostgresServer): Promise<PostgresServer> {
    const server = await PostgresServer.create();
    await run('pg_basebackup', '-D', server.cluster, '-R', '-X', 'stream', '-c', 'fast', '-d', primary.url);
    await server.launch();
    return server;
  }

  private static async create(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'wins-postgres-'));
    await chmod(folder, 0o755);
    if (process.getuid?.() === 0) {
      const { uid, gid } = await account();
      await chown(folder, uid, gid);
    }
    return new PostgresServer(folder, await freePort());
  }

  private get cluster(): string {
    return join(this.folder, 'cluster');
  }

  get url(): string {
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.port}/postgres`;
  }

  /** Starts it, and waits until it takes connections. */
  async launch(settings: Record<string, string> = {}): Promise<void> {
    const all = { port: String(this.port), unix_socket_directories: '', fsync: 'off', ...settings };
    const options = Object.entries(all).map(([name, value]) => `-c ${name}='${value}'`);
    await run('pg_ctl', 'start', '-w', '-D', this.cluster, '-l', join(this.folder, 'log'), '-o', options.join(' '));
  }

  /** @param mode `immediate` is as if the power went */
  async shutDown(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await run('pg_ctl', 'stop', '-w', '-D', this.cluster, '-m', mode);
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await run('pg_ctl', 'promote', '-w', '-D', this.cluster);
  }

  /** Runs one statement on a connection of its own. */
  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query(text, values)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  async remove(): Promise<void> {
    await this.shutDown('immediate').catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Who owns the files of PostgreSQL's account. */
async function account(): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => execute('id', [flag, 'postgres'])));
  return { uid: Number(uid!.stdout), gid: Number(gid!.stdout) };
}
