import { spawn, type ChildProcess } from 'node:child_process';
import { isListening } from './ports.js';
import { until } from './until.js';

/** Starts Redis (Debian's package `redis-server`), which keeps nothing, and waits until it listens. */
export async function startRedis(port: number): Promise<ChildProcess> {
  const options = ['--port', String(port), '--save', '', '--appendonly', 'no'];
  const redis = spawn('redis-server', options, { stdio: 'ignore' });
  await until(() => isListening(port));
  return redis;
}
