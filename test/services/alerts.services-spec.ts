import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Needs `promtool` of Debian's package `prometheus`. */

const promtool = (...args: string[]) => promisify(execFile)('promtool', args, { cwd: 'deploy/prometheus' });

it('promtool finds no fault in the alerts', async () => {
  expect((await promtool('check', 'rules', 'alerts.yml')).stdout).toContain('SUCCESS');
});

it('each alert is given when it should be, and not when an instance drains', async () => {
  expect((await promtool('test', 'rules', 'alerts.test.yml')).stdout).toContain('SUCCESS');
});
