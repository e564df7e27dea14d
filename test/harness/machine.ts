import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './postgres-server.js';
import { isAlive } from './processes.js';
import { until } from './until.js';

/** One of the machines of a cluster, with its folder beside the file that `TEST_CITUS_NODES` names. */
export class Machine {
  readonly port: number;
  private readonly folder: string;

  constructor(url: string, number: number) {
    this.port = Number(new URL(url).port);
    this.folder = join(dirname(process.env.TEST_CITUS_NODES!), `node-${number}`);
  }

  /** As if the power went. */
  async kill(): Promise<void> {
    const pid = Number((await readFile(join(this.folder, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(pid));
  }

  /** Starts it again, once what is left of the killed one is gone. */
  async start(): Promise<void> {
    for (const deadline = performance.now() + 20_000; ; await sleep(200)) {
      try {
        return await run('pg_ctl', 'start', '-w', '-D', this.folder, '-l', join(this.folder, 'log'));
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
    }
  }
}
