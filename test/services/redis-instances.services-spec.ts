import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';
import { freePort } from '../harness/ports.js';
import { Workshop, type Service } from '../harness/processes.js';
import { startRedis } from '../harness/redis.js';
import { until } from '../harness/until.js';

/** Two instances of the built service. Needs `redis-server`. */

const LIMIT = 10;
const TAGS = '/api/v1/tags';
const workshop = new Workshop();
let redis: ChildProcess;
let people: Person[];
let env: NodeJS.ProcessEnv;
let instances: Service[];

beforeAll(async () => {
  const port = await freePort();
  redis = await startRedis(port);
  const { url, database, make } = await workshop.migrated();
  people = await Promise.all(Array.from({ length: 12 }, () => make.person()));
  await database.close();
  env = {
    NODE_ENV: 'production',
    DATABASE_URL: url,
    REDIS_URL: `redis://127.0.0.1:${port}`,
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
  };
  instances = await Promise.all([workshop.serve(env), workshop.serve(env)]);
});
afterAll(async () => {
  redis.kill('SIGKILL');
  await workshop.clean();
});

const get = ({ url }: Service, { token }: Person) => new Client(url, token).get(TAGS);
const left = async (instance: Service, person: Person) =>
  (await get(instance, person)).headers.get('x-ratelimit-remaining');
const someone = () => people.shift()!;

/** Whether the instances count together, as a new user sees it. */
async function countTogether(): Promise<boolean> {
  const person = people.shift()!;
  people.push(person);
  const before = Number(await left(instances[0]!, person));
  return before > 0 && Number(await left(instances[1]!, person)) === before - 1;
}

it('instances share one count', async () => {
  await until(countTogether);
  const ann = someone();
  for (const instance of instances) expect((await get(instance, ann)).status).toBe(200); // now both remember the token
  const answers = await Promise.all(Array.from({ length: 2 * LIMIT }, (_, n) => get(instances[n % 2]!, ann)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT - instances.length);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(LIMIT + instances.length);
});

describe('while Redis hangs', () => {
  beforeAll(() => redis.kill('SIGSTOP'));
  afterAll(() => redis.kill('SIGCONT'));

  it('each instance counts for itself, and only those requests wait that find out', async () => {
    const [ann, bob] = [someone(), someone()];
    const first = performance.now();
    expect((await get(instances[0]!, ann)).status).toBe(200);
    const found = performance.now() - first;
    const next = performance.now();
    for (let n = 0; n < LIMIT; n++) expect((await get(instances[0]!, bob)).status).toBe(200);
    expect((performance.now() - next) / LIMIT).toBeLessThan(found);
    expect((await get(instances[0]!, bob)).status).toBe(429);
    await until(() => instances[0]!.stdout.includes('redis unavailable'));
  });

  it('an instance starts, answers and stops', async () => {
    const third = await workshop.serve(env);
    expect((await get(third, someone())).status).toBe(200);
    expect((await third.stop()).code).toBe(0);
  });
});

it('instances count together again when Redis goes on', async () => {
  await until(countTogether, 20_000);
});

it('says so once, not for each request or try', () => {
  const lines = instances[0]!.stdout.split('\n').filter((line) => line.includes('redis unavailable'));
  expect(lines).toHaveLength(1);
});

it('an instance goes on without Redis, and stops', async () => {
  redis.kill('SIGKILL');
  await once(redis, 'exit');
  expect((await get(instances[0]!, someone())).status).toBe(200);
  expect((await instances[0]!.stop()).code).toBe(0);
});
