import { startApp } from '../harness/app.js';
import { freePort } from '../harness/ports.js';
import { until } from '../harness/until.js';

it('answers Prometheus on a port of its own', async () => {
  const port = await freePort();
  const app = await startApp({ METRICS_PORT: String(port) });
  const ann = await app.make.person();
  await app.as(ann).get('/api/v1/tags/7');
  await app.as(ann).get('/api/v1/tags/8');
  await app.as(ann).post('/api/v1/tags', {});
  const metrics = `http://127.0.0.1:${port}`;
  const read = async () => (await fetch(`${metrics}/metrics`)).text();
  await until(async () => {
    expect((await app.as(ann).get('/api/v1/me')).status).toBe(200);
    return /caller_cache_lookups_total\{result="hit"\} [1-9]/.test(await read());
  });
  const text = await read();
  expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/api/v1/tags/:id",status="404"} 2');
  expect(text).toContain('http_request_duration_seconds_count{method="POST",route="/api/v1/tags",status="422"} 1');
  expect(text).toMatch(/database_connections\{state="waiting"\} 0/);
  expect(text).toMatch(/caller_cache_lookups_total\{result="miss"\} [1-9]/);
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
  expect(text).not.toContain(ann.token);
  expect((await fetch(metrics)).status).toBe(404);
  await app.close();
  await expect(fetch(`${metrics}/metrics`)).rejects.toThrow('fetch failed');
});
