import { cpus } from 'node:os';
import { Balancer } from '../harness/balancer.js';
import { Load } from '../harness/load.js';
import { Postgres } from '../harness/database.js';
import { PRODUCTION, Service } from '../harness/processes.js';
import { until } from '../harness/until.js';
import { reportPart } from '../harness/reliability-report.js';

const KILLS = 20;

/** Milliseconds within which all must be well again. */
const RECOVERY = 2_000;

/** How many writes are done before a kill, and again after it. */
const WRITES = 50;

/** What happened around one kill. Times are in milliseconds. */
interface Kill {
  requests: number;
  /** Requests that were answered by a 503 or not at all. */
  failed: number;
  /** How long what was killed was away. */
  away: number;
  /** From when the last request failed, counted from when what was killed (or who stands in for it) was there. */
  recovery: number;
}

const kills: Record<'postgres' | 'service', Kill[]> = { postgres: [], service: [] };

let postgres: Postgres;
let instances: Service[];
let balancer: Balancer;
let load: Load;

beforeAll(async () => {
  postgres = await Postgres.start();
  instances = [await Service.start(postgres.url), await Service.start(postgres.url)];
  balancer = new Balancer(instances.map(({ url }) => url));
  await balancer.start();
  await until(() => instances.every(({ url }) => balancer.isUsed(url)));
});
afterAll(async () => {
  await load?.stop();
  await balancer?.stop();
  await Promise.all((instances ?? []).map((instance) => instance.stop('SIGKILL')));
  await postgres?.remove();
});

/** Waits until writes are done that were not before. */
async function writes(): Promise<void> {
  const before = load.good;
  await until(() => load.good > before + WRITES, 60_000);
}

/** What the writers saw from one moment to another. */
function counting() {
  const [requests, good] = [load.total, load.good];
  return () => ({ requests: load.total - requests, failed: load.total - load.good - (requests - good) });
}

async function expectNothingLost(): Promise<void> {
  await load.stop();
  expect(load.wrong).toEqual([]);
  expect(await load.faults(postgres)).toEqual([]);
}

it(`loses nothing by ${KILLS} kills of PostgreSQL and is well within 2 s of its return`, async () => {
  load = await Load.prepare(instances[0]!.url, postgres);
  for (let n = 0; n < KILLS; n++) {
    const counts = counting();
    load.start();
    await writes();
    const killedAt = performance.now();
    await postgres.kill();
    const failures = load.count(503);
    await until(() => load.count(503) > failures + 5);
    await postgres.restart();
    const backAt = performance.now();
    await writes();
    await expectNothingLost();
    expect(load.count(0)).toBe(0);
    const recovery = Math.max(0, load.lastBad - backAt);
    kills.postgres.push({ ...counts(), away: backAt - killedAt, recovery });
    expect(recovery).toBeLessThan(RECOVERY);
  }
});

it(`loses nothing by ${KILLS} kills of one of two instances, and the other takes over within 2 s`, async () => {
  load = await Load.prepare(balancer.url, postgres);
  for (let n = 0; n < KILLS; n++) {
    const counts = counting();
    load.start();
    await writes();
    const victim = instances[n % 2]!;
    const killedAt = performance.now();
    victim.kill('SIGKILL');
    await victim.ended;
    instances[n % 2] = new Service(victim.port, { ...PRODUCTION, DATABASE_URL: postgres.url });
    await writes();
    const recovery = Math.max(0, load.lastBad - killedAt);
    await instances[n % 2]!.ready();
    const away = performance.now() - killedAt;
    await until(() => balancer.isUsed(victim.url));
    await writes();
    await expectNothingLost();
    kills.service.push({ ...counts(), away, recovery });
    expect(recovery).toBeLessThan(RECOVERY);
  }
});

it('leaves the figures in docs/reliability.md', async () => {
  const { postgres: ofPostgres, service: ofService } = kills;
  expect([ofPostgres.length, ofService.length]).toEqual([KILLS, KILLS]);
  const [server] = await postgres.query<{ server_version: string }>('show server_version');
  await reportPart(
    'kills',
    `## Kills

Measured on ${new Date().toISOString().slice(0, 10)}, on a machine with ${cpus().length} cores
that also ran PostgreSQL ${server!.server_version} and the writers, with Node ${process.version}.

Six writers create, change and delete wins with tags without a pause, while \`kill -9\` ends PostgreSQL or the service.
After each kill, the test looks for every acknowledged write. It also compares each count of a space or tag with its rows
and with the API's lists. A failed request gets a 503 with \`Retry-After\`. If the service itself was killed, the request may
get no response.

| Killed | Kills | Acknowledged writes missing | Wrong counts | Longest recovery |
|---|---|---|---|---|
| PostgreSQL | ${KILLS} | 0 | 0 | ${longest(ofPostgres)} ms |
| One of two instances | ${KILLS} | 0 | 0 | ${longest(ofService)} ms |

### PostgreSQL

Downtime is the time until PostgreSQL accepts statements again, including its own recovery. Recovery is the time from then
until the last 503.

${table('503', ofPostgres)}

### The service

Two instances run behind a load balancer that requests \`/readyz\` ten times a second and never retries a request.
Recovery is the time from the kill until the last failed request; after that, the other instance serves all requests.
Downtime is the time until the killed instance, restarted at once, is ready. A single instance would be down that long.

${table('Failed', ofService)}
`,
  );
});

const longest = (rows: Kill[]) => Math.round(Math.max(...rows.map(({ recovery }) => recovery)));

function table(failure: string, rows: Kill[]): string {
  const lines = rows.map(({ requests, failed, away, recovery }, n) =>
    [n + 1, requests, failed, Math.round(away), Math.round(recovery)].join(' | '),
  );
  const head = `| Kill | Requests | ${failure} | Downtime (ms) | Recovery (ms) |\n|---|---|---|---|---|\n`;
  return head + lines.map((line) => `| ${line} |`).join('\n');
}
