import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Defer } from './cleanup.js';
import type { Call } from './scenarios.js';

/** What the load process is to do. */
export interface Job {
  url: string;
  seconds: number;
  /** What each connection sends, over and over. */
  connections: Call[][];
  /** The same of connections that are not measured. */
  beside?: Call[][];
}

/** What came of it: requests per second, and milliseconds. */
export interface Sample {
  rate: number;
  p50: number;
  p99: number;
}

/** Starts the process that makes the load. @returns a function that has it do one job, and rejects if any answer was not 2xx */
export function startLoad(defer: Defer): (job: Job) => Promise<Sample> {
  const child = fork(fileURLToPath(new URL('load-process.js', import.meta.url)));
  defer(async () => child.kill());
  return async (job) => {
    child.send(job);
    const [{ sample, error }] = await once(child, 'message');
    if (error !== undefined) throw new Error(error);
    return sample;
  };
}
