import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, openSync, readSync, closeSync } from 'node:fs';
import { METHODS } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Person } from '../../harness/factories.js';
import { freePort } from '../../harness/ports.js';
import { Workshop } from '../../harness/processes.js';
import { exchange, rawRequest } from '../../harness/raw.js';
import { until } from '../../harness/until.js';

const workshop = new Workshop();
let url: string;
let ann: Person;

beforeAll(async () => {
  const migrated = await workshop.migrated();
  ({ url } = migrated);
  ann = await migrated.make.person();
  await migrated.database.close();
});
afterAll(() => workshop.clean());

const production = (env: NodeJS.ProcessEnv = {}) => ({ NODE_ENV: 'production', DATABASE_URL: url, ...env });

/** Spellings of a token that somebody who reads a log could use. */
const spellingsOf = (token: string) => [
  token,
  token.toUpperCase(),
  token.slice(0, 40),
  token.slice(4),
  token.slice(20),
  token.replace('_', '%5f'),
  token.replace('wins', '%77in%73'),
];

it('nothing that a client sends gets into the log, at any level', async () => {
  const service = await workshop.serve(production({ LOG_LEVEL: 'trace' }));
  const email = 'someone.private@example.org';
  for (const secret of [...spellingsOf(ann.token), email, encodeURIComponent(email)]) {
    const sent = { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' };
    const places: [string, string, Record<string, string>?, string?][] = [
      ['GET', `/${secret}`],
      ['GET', `/api/v1/${secret}`, sent],
      ['GET', `/api/v1/tags/${secret}`, sent],
      ['DELETE', `/api/v1/wins/1/${secret}/x`, sent],
      ['GET', `/api/v1/wins?q=${secret}&${secret}=1`, sent],
      ['GET', '/api/v1/tags', { ...sent, 'x-request-id': secret }],
      ['GET', '/api/v1/tags', { authorization: `Bearer ${secret}` }],
      ['GET', '/api/v1/tags', { cookie: secret, referer: `http://x/${secret}`, 'user-agent': secret, origin: secret }],
      ['GET', '/healthz', { 'x-forwarded-for': secret, traceparent: secret, forwarded: secret }],
      ['POST', '/api/v1/tags', { ...sent, 'content-length': String(secret.length + 2) }, `"${secret}"`],
      ['POST', '/api/v1/tags', { ...sent, 'content-length': String(secret.length) }, secret],
      ['POST', '/api/v1/tags', { ...sent, 'content-type': secret, 'content-length': '2' }, '{}'],
      ['GET', `http://${secret}/api/v1/tags`, sent],
    ];
    for (const [method, path, headers, body] of places) {
      const answer = await exchange(service.url, rawRequest(method, path, headers, body));
      expect(answer.headers.get('x-request-id')).not.toContain(secret);
    }
    await exchange(service.url, `${secret} / HTTP/1.1\r\nHost: x\r\n\r\n`);
  }
  const { stdout, stderr } = await service.stop();
  const text = (stdout + stderr).toLowerCase();
  expect(text).toContain('"path":"/api/v1/tags/:id"');
  expect(text).toContain('"path":"none"');
  expect(text).not.toMatch(/wins_[0-9a-f]/);
  expect(text).not.toContain(ann.token.slice(5, 37));
  expect(text).not.toContain(ann.token.slice(-30));
  expect(text).not.toContain('someone');
});

it('an id of a request is kept if it tells nothing, and replaced if it may be a token', async () => {
  const service = await workshop.serve(production());
  const echoed = async (id: string) =>
    (await fetch(`${service.url}/healthz`, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
  for (const id of ['abc-1', '58ad403b-d139-4bd5-9b0a-1c8e526ed5d5', '4bf92f3577b34da6a3ce929d0e0e4736', 'windows_95'])
    expect(await echoed(id)).toBe(id);
  for (const spelling of spellingsOf(ann.token)) expect(await echoed(spelling)).not.toContain(spelling);
  for (const id of [`x:${ann.token}`, 'wins_', 'WINS_0a', `${ann.token.slice(5, 40)}`])
    expect(await echoed(id)).not.toBe(id);
});

it('tells the trace of a request, the version and when it began', async () => {
  const service = await workshop.serve(production());
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const broken = [`ff-${trace}-${span}-01`, `00-${'0'.repeat(32)}-${span}-01`, `00-${trace}-${'0'.repeat(16)}-01`, 'x'];
  for (const traceparent of [`00-${trace}-${span}-01`, ...broken])
    await fetch(`${service.url}/healthz`, { headers: { traceparent } });
  const { stdout } = await service.stop();
  const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, string>); // prettier-ignore
  const begin = lines.find(({ version }) => version !== undefined)!;
  expect(begin).toMatchObject({
    msg: expect.stringMatching(/^listening on/),
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
  expect(Date.parse(begin!.startedAt!)).toBeLessThanOrEqual(Number(begin!.time));
  const traced = lines.filter(({ traceId }) => traceId !== undefined);
  expect(traced).toMatchObject([{ path: '/healthz', traceId: trace, spanId: span }]);
});

it('warnings of Node.js, and misspelled settings, are lines of the log too', async () => {
  const service = await workshop.serve(production({ RATE_LIMIT_PER_MINUT: '5' }));
  const { stdout, stderr } = await service.stop();
  expect(stderr).toBe('');
  expect(stdout).toContain(
    '"msg":"RATE_LIMIT_PER_MINUT is not a setting and has no effect. Did you mean RATE_LIMIT_PER_MINUTE?"',
  );
});

const endOf = async (child: ChildProcess) => {
  child.kill('SIGTERM');
  await Promise.race([once(child, 'exit'), sleep(15_000)]);
  return child.exitCode;
};

describe('standard output that nobody reads', () => {
  let children: ChildProcess[];
  beforeEach(() => (children = []));
  afterEach(() => children.forEach((child) => child.kill('SIGKILL')));

  /** The service with a standard output of its own kind, once it answers. */
  async function start(stdout: 'pipe' | number, env: NodeJS.ProcessEnv = {}) {
    const [port, metrics] = [await freePort(), await freePort()];
    const child = spawn(process.execPath, ['dist/main.js'], {
      env: { PATH: process.env.PATH, PORT: String(port), METRICS_PORT: String(metrics), ...production(env) },
      stdio: ['ignore', stdout, 'ignore'],
    });
    children.push(child);
    const address = `http://127.0.0.1:${port}`;
    await until(() => fetch(`${address}/healthz`).then(({ ok }) => ok, () => false), 60_000); // prettier-ignore
    const dropped = async () => {
      const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
      return Number(/^log_lines_dropped_total (\d+)/m.exec(text)?.[1] ?? NaN);
    };
    /** Sends requests until lines are dropped: what fills the pipe and what is kept for it is full then. */
    const fill = () =>
      until(async () => {
        await Promise.all(
          Array.from({ length: 200 }, () => fetch(`${address}/healthz`).then((answer) => answer.text())),
        );
        return (await dropped()) > 0;
      }, 50_000);
    return { child, address, dropped, fill };
  }

  it.each(['production', 'development'])(
    'keeps the service neither from its work nor from its end in %s',
    async (NODE_ENV) => {
      const { child, fill } = await start('pipe', { NODE_ENV });
      await fill();
      expect(await endOf(child)).toBe(0);
    },
  );

  it('a pipe of the system, which is read again later: what was dropped is told', async () => {
    const fifo = join(await workshop.folder(), 'log');
    await promisify(execFile)('mkfifo', [fifo]);
    const fd = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    const { child, fill } = await start(fd);
    await fill();
    let text = '';
    const buffer = Buffer.alloc(65_536);
    await until(() => {
      try {
        text += buffer.toString('utf8', 0, readSync(fd, buffer));
      } catch {
        return text.includes('log lines were dropped');
      }
      return text.includes('log lines were dropped');
    });
    expect(text).toMatch(/"dropped":[1-9]\d*,"msg":"log lines were dropped because nobody read them"/);
    expect(await endOf(child)).toBe(0);
    closeSync(fd);
  });

  it('a reader that goes away does not end the service', async () => {
    const { child, address, dropped } = await start('pipe');
    child.stdout!.destroy();
    await until(async () => {
      await fetch(`${address}/healthz`);
      return (await dropped()) > 0;
    });
    expect(await endOf(child)).toBe(0);
  });
});

it('counts a bounded number of series, whatever is sent', async () => {
  const metrics = await freePort();
  const service = await workshop.serve(production({ METRICS_PORT: String(metrics) }));
  const count = async () =>
    (await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text())
      .split('\n')
      .filter((line) => line.startsWith('http_request_duration_seconds_count')).length;
  const round = async (word: string) => {
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
      for (const path of [`/${word}`, `/api/v1/${word}`, `/api/v1/tags/${word}`, `/healthz?${word}`])
        await exchange(service.url, rawRequest(method, path)).catch(() => undefined);
    }
    return count();
  };
  const first = await round('first');
  expect(await round('second')).toBe(first);
});
