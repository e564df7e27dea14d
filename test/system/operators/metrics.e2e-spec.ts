import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { parse } from 'yaml';
import { startApp, type TestApp } from '../../harness/app.js';
import { document } from '../../harness/document.js';
import { freePort } from '../../harness/ports.js';
import { until } from '../../harness/until.js';

let app: TestApp;
let metrics: string;

beforeAll(async () => {
  const port = await freePort();
  app = await startApp({ METRICS_PORT: String(port) });
  metrics = `http://127.0.0.1:${port}/metrics`;
});
afterAll(() => app.close());

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

it('each operation has its series of the statuses that alerts watch from the start', async () => {
  const lines = new Set((await (await fetch(metrics)).text()).split('\n'));
  const operations = Object.entries(document.paths).flatMap(
    ([path, item]) =>
    Object.keys(item as object).filter((method) => METHODS.includes(method)).map((method) => ({ path, method })), // prettier-ignore
  );
  expect(operations.length).toBeGreaterThan(20);
  for (const { path, method } of operations) {
    const route = path.replace(/\{(\w+)\}/g, ':$1');
    for (const status of [429, 500, 503]) {
      const labels = `method="${method.toUpperCase()}",route="${route}",status="${status}"`;
      expect(lines).toContain(`http_request_duration_seconds_count{${labels}} 0`);
    }
  }
});

it('answers GET and HEAD, whatever the query, and no other method', async () => {
  expect((await fetch(`${metrics}?x=1`)).status).toBe(200);
  const head = await fetch(metrics, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  for (const method of ['POST', 'DELETE', 'OPTIONS']) {
    const { status, headers } = await fetch(metrics, { method });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  }
});

it('tells the version and the start', async () => {
  const text = await (await fetch(metrics)).text();
  expect(text).toMatch(/^wins_tracker_build_info\{version="[^"]+"\} 1$/m);
  expect(text).toMatch(/^process_start_time_seconds \d/m);
  expect(text).toMatch(/^log_lines_dropped_total \d/m);
});

it('keeps the service from its end for nobody who holds a connection', async () => {
  const port = await freePort();
  const other = await startApp({ METRICS_PORT: String(port) });
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket.resume(), 'connect');
  socket.write('GET /metrics HTTP/1.1\r\n'); // and never the rest
  await fetch(`http://127.0.0.1:${port}/metrics`);
  let hasEnded = false;
  const ended = other.close().then(() => (hasEnded = true));
  await until(() => hasEnded, 10_000).finally(() => socket.destroy());
  await ended;
});

it('docs/operations.md explains each alert, and the alerts are of metrics that there are', async () => {
  const { groups } = parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  const explained = [...readFileSync('docs/operations.md', 'utf8').matchAll(/^\| `(\w+)` +\|/gm)].map(
    ([, name]) => name,
  );
  expect(explained).toEqual(rules.map(({ alert }) => alert));
  const text = await (await fetch(metrics)).text();
  for (const { expr } of rules) {
    for (const [name] of expr.matchAll(/\b\w+_(seconds|total|count|bucket)\b/g)) expect(text).toContain(name);
  }
});
