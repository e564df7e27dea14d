import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { startApp, type TestApp } from '../harness/app.js';
import { freePort } from '../harness/ports.js';
import { startRedis } from '../harness/redis.js';
import { until } from '../harness/until.js';

/** Needs `redis-server`. */

const LIMIT = 10;
const TAGS = '/api/v1/tags';

let port: number;
let redis: ChildProcess;
let apps: TestApp[];

beforeAll(async () => {
  port = await freePort();
  redis = await startRedis(port);
  const settings = { RATE_LIMIT_PER_MINUTE: String(LIMIT), REDIS_URL: `redis://127.0.0.1:${port}` };
  apps = await Promise.all([startApp(settings), startApp(settings)]);
});
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()));
  redis.kill();
});

it('shares one count among instances', async () => {
  const [first, second] = apps as [TestApp, TestApp];
  const ann = await first.make.person();
  await until(async () => (await first.as(ann).get('/readyz')).status === 200);
  const answers = await Promise.all(
    Array.from({ length: 2 * LIMIT }, (_, n) => (n % 2 === 0 ? first : second).as(ann).get(TAGS)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(LIMIT);
});

it('goes on, each instance for itself, when Redis dies, and shares again when it is back', async () => {
  const [first, second] = apps as [TestApp, TestApp];
  redis.kill('SIGKILL');
  await once(redis, 'exit');
  const ann = await first.make.person();
  const alone = await Promise.all(Array.from({ length: LIMIT + 1 }, () => first.as(ann).get(TAGS)));
  expect(alone.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
  expect((await second.as(ann).get(TAGS)).status).toBe(200);

  redis = await startRedis(port);
  await until(async () => {
    const bob = await first.make.person();
    const left = async (app: TestApp) => (await app.as(bob).get(TAGS)).headers.get('x-ratelimit-remaining');
    return (await left(first)) === String(LIMIT - 1) && (await left(second)) === String(LIMIT - 2);
  });
});
