import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Connections of every contender to PostgreSQL. */
export const POOL_SIZE = 10;

/** Milliseconds a process may take to answer its first request, and to end once it was told to. */
const START_LIMIT = 30_000;
const STOP_LIMIT = 10_000;

/** Milliseconds between two looks whether a process answers. */
const LOOK_EVERY = 4;

const execute = promisify(execFile);
const built = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The services that are measured against each other: their names and what is run. */
export const SERVICES = {
  ours: built('../../../dist/main.js'),
  'fastify-pg': built('peers/fastify-pg/main.js'),
  'nest-typeorm': built('peers/nest-typeorm/main.js'),
};
export type Service = keyof typeof SERVICES;
export const SERVICE_NAMES = ['ours', 'fastify-pg', 'nest-typeorm'] as const satisfies Service[];

/** A bare Fastify that answers constants; `BODIES` names the file with them. */
export const CONSTANT = built('peers/constant.js');

/** A running process that answers HTTP. */
export interface Contender {
  url: string;
  /** Resident memory in bytes. */
  memory(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts a contender as it would run in production: it logs, to nowhere, and does not limit rates.
 *
 * @param settings further environment variables @returns once `/healthz` answered 200
 */
export async function start(script: string, settings: Record<string, string>): Promise<Contender> {
  const port = await freePort();
  const child = spawn(process.execPath, [script], {
    cwd: tmpdir(), // where no .env is
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'info',
      DATABASE_POOL_SIZE: String(POOL_SIZE),
      RATE_LIMIT_PER_MINUTE: '0',
      ...settings,
    },
  });
  const ended = once(child, 'exit');
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.once('exit', () => process.off('exit', endWithUs));
  const contender = {
    url: `http://127.0.0.1:${port}`,
    async memory() {
      const { stdout } = await execute('ps', ['-o', 'rss=', '-p', String(child.pid)]);
      return Number(stdout) * 1024;
    },
    async stop() {
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT);
      if (child.exitCode === null && child.signalCode === null) await ended;
      clearTimeout(kill);
    },
  };
  const deadline = performance.now() + START_LIMIT;
  while ((await statusOf(`${contender.url}/healthz`)) !== 200) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await contender.stop();
      throw new Error(`${script} did not start`);
    }
    await sleep(LOOK_EVERY);
  }
  return contender;
}

/** The status of a GET; `undefined` where nobody answers. */
export function statusOf(url: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  return new Promise((resolve) => {
    get(url, { headers, agent: false }, (answer) => answer.resume().on('end', () => resolve(answer.statusCode))).on(
      'error',
      () => resolve(undefined),
    );
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}
