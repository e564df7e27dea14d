import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, isListening } from './ports.js';
import { Process } from './processes.js';
import { until } from './until.js';

/** PgBouncer in front of a database. */
export interface PgBouncer {
  /** The connection string of the same database, through it. */
  url: string;
  stop(): Promise<void>;
}

interface PgBouncerOptions {
  /** The database behind it, with the name and password of the one user that may log in. */
  databaseUrl: string;
  /** For how long a client keeps the same session of PostgreSQL. */
  mode: 'session' | 'transaction';
  /** Differ from PgBouncer's defaults, as in its section `[pgbouncer]`. */
  settings?: Record<string, string | number>;
}

/** Starts PgBouncer (Debian's package `pgbouncer`) on a free port, as an account that may do nothing else. */
export async function startPgBouncer({ databaseUrl, mode, settings = {} }: PgBouncerOptions): Promise<PgBouncer> {
  const url = new URL(databaseUrl);
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  const folder = await mkdtemp(join(tmpdir(), 'wins-pgbouncer-'));
  await chmod(folder, 0o755);
  const listen_port = await freePort();
  const section = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port,
    unix_socket_dir: '',
    auth_type: 'any', // a server may ask for no password at all
    pool_mode: mode,
    default_pool_size: 20,
    max_client_conn: 500,
    ...settings,
  });
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    [
      '[databases]',
      `* = host=${url.hostname} port=${url.port || 5432} user=${user}${password ? ` password=${password}` : ''}`,
      '[pgbouncer]',
      ...section.map(([name, value]) => `${name} = ${value}`),
      '',
    ].join('\n'),
  );
  const program = ['pgbouncer', join(folder, 'pgbouncer.ini')];
  const isRoot = process.getuid?.() === 0;
  const [file, ...args] = isRoot
    ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups', ...program]
    : program;
  const started = new Process(file!, args);
  await until(async () => {
    if (started.hasEnded) throw new Error(`PgBouncer did not start:\n${started.stdout}${started.stderr}`);
    return isListening(listen_port);
  });
  url.hostname = '127.0.0.1';
  url.port = String(listen_port);
  return {
    url: url.href,
    async stop() {
      if (!started.hasEnded) await started.stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
