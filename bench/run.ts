import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { Client } from 'pg';
import { withCleanup, type Defer } from './cleanup.js';
import { answersOf, expectRefusals, expectSame } from './compare.js';
import { CONSTANT, POOL_SIZE, SERVICE_NAMES, SERVICES, start, type Contender, type Service } from './contenders.js';
import { openMigrated, quiet, startDatabase } from './database.js';
import { startLoad, type Sample } from './load.js';
import { median, ratio, show } from './numbers.js';
import { circumstances, report, table } from './report.js';
import { callsOf, LOADS, restore, SCENARIOS, type Load, type Scenario, type ScenarioName } from './scenarios.js';
import { seedPerson, seedUsers, type Person } from './seed.js';

/** Measures the service against others that do the same work on the same database (README.md). */

const CROWD = { tags: 10, spaces: 2, wins: 30, tagsPerWin: 2 };
const MEASURED = { tags: 100, spaces: 3, wins: 10_000, tagsPerWin: 3 };
const VISITOR = { tags: 100, spaces: 3, wins: 300, tagsPerWin: 3 };

/** Users with as much as `MEASURED`; a scenario with more users adds visitors. */
const LARGE_USERS = 16;

/** What a row of the table has a column for. */
const COLUMNS = [...SERVICE_NAMES, 'constant', 'pgbench'] as const;
type Column = (typeof COLUMNS)[number];

/** Samples of one scenario under one load, by contender. */
interface Measured {
  scenario: Scenario;
  load: Load;
  samples: Record<Column, Sample[]>;
}

/** One way to make a sample, interleaved with the others of its scenario. */
type Probe = (load: Load, seconds: number) => Promise<Sample>;

const execute = promisify(execFile);

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    scenarios: { type: 'string' },
    connections: { type: 'string' },
    users: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
const seconds = Number(values.seconds ?? (values.quick ? 1 : 2));
const warmUp = values.quick ? 0.5 : 1;
const chosen = (text: string | undefined, number: number) =>
  (text ?? String(number)).split(',').includes(String(number));
const loadsOf = ({ loads }: Scenario) =>
  loads ??
  LOADS.filter(
    ({ users, connections }) =>
      chosen(values.users, users) && chosen(values.connections ?? (values.quick ? '16' : undefined), connections),
  );
const names = values.scenarios?.split(',') ?? Object.keys(SCENARIOS);

await withCleanup(async (defer) => {
  const scenarios = names.map(scenarioOf);
  const url = await startDatabase(defer);
  const client = await openMigrated(url, defer);
  console.log('Seeding');
  await seedUsers(client, { prefix: 'user', count: 999, plan: 'free' }, CROWD);
  const userCount = Math.max(...scenarios.flatMap(loadsOf).map(({ users }) => users));
  const users: Person[] = [];
  for (let n = 0; n < userCount; n++) {
    users.push(await seedPerson(client, `measured${n}-`, n < LARGE_USERS ? MEASURED : VISITOR));
  }
  const [person] = users as [Person];
  const other = await seedPerson(client, 'other', MEASURED);
  await client.query('vacuum analyze');

  console.log('Starting');
  const contenders = await startServices(url, defer);
  console.log('Comparing');
  const bodies = await compare(client, contenders, scenarios, person, other);
  const constant = await startConstant(bodies, defer);
  const pgbench = await preparePgbench(client, contenders.ours, url, person, defer);

  const load = startLoad(defer);
  const probesOf = (scenario: Scenario): [Column, Probe][] => [
    ...SERVICE_NAMES.map((name): [Column, Probe] => [
      name,
      async ({ users: count, connections }, duration) => {
        const sample = await load({
          url: contenders[name].url,
          seconds: duration,
          connections: callsOf(scenario, users.slice(0, count), connections),
          beside: scenario.beside && callsOf(scenario.beside, [other], scenario.beside.connections),
        });
        await quiet(client);
        if (!scenario.isRead) await restore(client, users.slice(0, count));
        return sample;
      },
    ]),
    ...(scenario.isRead && !scenario.beside
      ? [['constant', constantProbe(load, constant, scenario)] satisfies [Column, Probe]]
      : []),
    ...(scenario === SCENARIOS['tags-25'] && pgbench !== undefined
      ? [['pgbench', pgbench] satisfies [Column, Probe]]
      : []),
  ];

  console.log('Warming up');
  for (const scenario of scenarios) {
    for (const [, probe] of probesOf(scenario))
      await probe(scenario.loads?.[0] ?? { users: 1, connections: 16 }, warmUp);
  }

  const measured: Measured[] = [];
  for (const scenario of scenarios) {
    const probes = probesOf(scenario);
    for (const each of loadsOf(scenario)) {
      for (const [, probe] of probes) await probe(each, warmUp);
      const samples: Measured['samples'] = {
        ours: [],
        'fastify-pg': [],
        'nest-typeorm': [],
        constant: [],
        pgbench: [],
      };
      for (let round = 0; round < rounds; round++) {
        for (const [column, probe] of probes) samples[column].push(await probe(each, seconds));
      }
      measured.push({ scenario, load: each, samples });
      console.log(`${titleOf(scenario, each)}: ${summary(samples)}`);
    }
  }
  const memory = await Promise.all(SERVICE_NAMES.map(async (name) => contenders[name].memory()));
  const isWhole = !values.quick && names.length === Object.keys(SCENARIOS).length && rounds >= 5;
  await report('run', await describe(client, measured, memory), isWhole);
});

function scenarioOf(name: string): Scenario {
  if (!(name in SCENARIOS)) throw new Error(`No scenario ${name}; there are ${Object.keys(SCENARIOS).join(', ')}`);
  return SCENARIOS[name as ScenarioName];
}

async function startServices(databaseUrl: string, defer: Defer): Promise<Record<Service, Contender>> {
  const launch = async (name: Service) => {
    const contender = await start(SERVICES[name], { DATABASE_URL: databaseUrl });
    defer(contender.stop);
    return contender;
  };
  return {
    ours: await launch('ours'),
    'fastify-pg': await launch('fastify-pg'),
    'nest-typeorm': await launch('nest-typeorm'),
  };
}

/** Holds everyone's answers against ours, the same work or no figure. @returns what is read, by `pathOf()` */
async function compare(
  client: Client,
  contenders: Record<Service, Contender>,
  scenarios: Scenario[],
  person: Person,
  other: Person,
): Promise<Record<string, string>> {
  const bodies: Record<string, string> = {};
  for (const name of SERVICE_NAMES) await expectRefusals(name, contenders[name].url, person, other);
  for (const scenario of scenarios) {
    const ours = await answersOf(contenders.ours.url, person, scenario);
    if (scenario.isRead) bodies[pathOf(scenario)] = ours[0]!.text;
    for (const name of SERVICE_NAMES) {
      if (!scenario.isRead) await restore(client, [person]);
      expectSame(name, await answersOf(contenders[name].url, person, scenario), ours);
    }
    await restore(client, [person]);
  }
  return bodies;
}

async function startConstant(bodies: Record<string, string>, defer: Defer): Promise<Contender> {
  const folder = await mkdtemp(join(tmpdir(), 'wins-bench-'));
  defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'bodies.json');
  await writeFile(file, JSON.stringify(bodies));
  const contender = await start(CONSTANT, { BODIES: file });
  defer(contender.stop);
  return contender;
}

/** Where the contender with constants has a scenario's answer. */
function pathOf({ title }: Scenario): string {
  return `/${title.replace(/\W+/g, '-')}`;
}

function constantProbe(load: ReturnType<typeof startLoad>, { url }: Contender, scenario: Scenario): Probe {
  const call = { method: 'GET', path: pathOf(scenario), token: '' } as const;
  return ({ connections }, duration) =>
    load({ url, seconds: duration, connections: Array.from({ length: connections }, () => [call]) });
}

/**
 * What PostgreSQL alone does with our statement for a list of tags, prepared, over as many connections as a pool has.
 *
 * @returns `undefined` where pgbench is not installed
 */
async function preparePgbench(
  client: Client,
  ours: Contender,
  url: string,
  { userId, token }: Person,
  defer: Defer,
): Promise<Probe | undefined> {
  if ((await execute('pgbench', ['--version']).catch(() => undefined)) === undefined) return undefined;
  await fetch(`${ours.url}/api/v1/tags`, { headers: { authorization: `Bearer ${token}` } });
  const { rows } = await client.query<{ query: string }>(
    `select query from pg_stat_activity where query like '%from tags where user_id = $1%' and pid <> pg_backend_pid()
     and application_name = 'wins-tracker' and length(query) < 1000 order by query_start desc limit 1`,
  );
  if (rows[0] === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'wins-bench-'));
  defer(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, 'tags.sql');
  // pgbench takes any colon before a word for one of its variables; the planner puts the text together once.
  const text = rows[0].query
    .replaceAll(`HH24:MI:SS`, `HH24' || chr(58) || 'MI' || chr(58) || 'SS`)
    .replaceAll('$1', ':user_id')
    .replaceAll('$2', ':limit')
    .replaceAll('$3', ':offset');
  await writeFile(script, `${text};\n`);
  const variables = [`user_id=${userId}`, 'limit=25', 'offset=0'].flatMap((variable) => ['-D', variable]);
  return async ({ connections }, duration) => {
    const clients = String(Math.min(connections, POOL_SIZE));
    const time = String(Math.ceil(duration));
    const options = ['-n', '-M', 'prepared', '-f', script, '-c', clients, '-T', time, ...variables, url];
    const { stdout } = await execute('pgbench', options);
    const latency = Number(/latency average = ([\d.]+)/.exec(stdout)?.[1]);
    return { rate: Number(/tps = ([\d.]+)/.exec(stdout)?.[1]), p50: latency, p99: NaN };
  };
}

function titleOf({ title }: Scenario, { users, connections }: Load): string {
  return `${title}, ${users} × ${connections}`;
}

function middle(samples: Sample[]): Sample {
  const of = (field: keyof Sample) => median(samples.map((sample) => sample[field]));
  return { rate: of('rate'), p50: of('p50'), p99: of('p99') };
}

/** The least and the greatest ratio of what was measured in the same round. */
function spreadOf(ours: Sample[], theirs: Sample[]): string {
  const ratios = ours.map(({ rate }, round) => rate / theirs[round]!.rate);
  return `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
}

function summary(samples: Measured['samples']): string {
  return COLUMNS.filter((column) => samples[column].length > 0)
    .map((column) => `${column} ${show(middle(samples[column]).rate)}/s`)
    .join(', ');
}

async function describe(client: Client, measured: Measured[], memory: number[]): Promise<string> {
  const rows = measured.map(({ scenario, load, samples }) => ({
    scenario,
    label: titleOf(scenario, load),
    spread: spreadOf(samples.ours, samples['fastify-pg']),
    of: Object.fromEntries(COLUMNS.map((column) => [column, middle(samples[column])])) as Record<Column, Sample>,
  }));
  const lowest = (kind: string, isRead: boolean) => {
    const of = rows.filter(({ scenario }) => scenario.isRead === isRead).map((row) => row.of);
    if (of.length === 0) return '';
    const [fastify, nest] = (['fastify-pg', 'nest-typeorm'] as const).map((name) =>
      Math.min(...of.map((row) => row.ours.rate / row[name].rate)).toFixed(2),
    );
    return `The lowest ratio of ${kind} is ${fastify} against fastify-pg and ${nest} against nest-typeorm.`;
  };
  return `
## Against others

${await circumstances(client)}
- Medians of ${rounds} interleaved rounds of ${seconds} s each; every contender has ${POOL_SIZE} connections to PostgreSQL.

Requests per second, by scenario, users and connections (users × connections); the last columns are ours divided by theirs, and in
how far that differed between the rounds.

${table(
  [
    'Scenario',
    'ours',
    'fastify-pg',
    'nest-typeorm',
    'constant',
    'pgbench',
    'ours : fastify-pg',
    'rounds',
    'ours : nest-typeorm',
  ],
  rows.map(({ label, of, spread }) => [
    label,
    ...COLUMNS.map((column) => show(of[column].rate)),
    ratio(of.ours.rate, of['fastify-pg'].rate),
    spread,
    ratio(of.ours.rate, of['nest-typeorm'].rate),
  ]),
)}

${[lowest('reads', true), lowest('writes', false)].join('\n')}

Milliseconds, p50 / p99.

${table(
  ['Scenario', 'ours', 'fastify-pg', 'nest-typeorm', 'constant', 'p99, ours : fastify-pg'],
  rows.map(({ label, of }) => [
    label,
    ...COLUMNS.slice(0, 4).map((column) =>
      Number.isNaN(of[column].p50) ? '' : `${show(of[column].p50)} / ${show(of[column].p99)}`,
    ),
    ratio(of.ours.p99, of['fastify-pg'].p99),
  ]),
)}

Resident memory after all of this, in MB.

${table([...SERVICE_NAMES, 'ours : fastify-pg'], [[...memory.map((bytes) => show(bytes / 2 ** 20)), ratio(memory[0]!, memory[1]!)]])}
`.trim();
}
