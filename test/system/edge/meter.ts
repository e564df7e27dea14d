import type { Person } from '../../harness/factories.js';
import { freePort } from '../../harness/ports.js';
import type { Service, Workshop } from '../../harness/processes.js';

/** The built service with its metrics, which tell what it has cost so far. */
export interface Metered {
  server: Service;
  /** Seconds of processor time. */
  cpu(): Promise<number>;
  /** Resident bytes. */
  memory(): Promise<number>;
  metric(series: string): Promise<number>;
}

/** @param env on top of the database and a limit of requests that is off */
export async function serveMetered(workshop: Workshop, url: string, env: NodeJS.ProcessEnv = {}): Promise<Metered> {
  const port = await freePort();
  const server = await workshop.serve({
    NODE_ENV: 'production',
    DATABASE_URL: url,
    METRICS_PORT: String(port),
    RATE_LIMIT_PER_MINUTE: '0',
    ...env,
  });
  const metric = async (series: string) => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
    return Number(line?.split(' ')[1]);
  };
  return {
    server,
    metric,
    cpu: () => metric('process_cpu_seconds_total'),
    memory: () => metric('process_resident_memory_bytes'),
  };
}

/** The same on a database of its own, in which there is one person. */
export async function serveMeteredTo(
  workshop: Workshop,
  env: NodeJS.ProcessEnv = {},
): Promise<{ service: Metered; person: Person }> {
  const { url, make, database } = await workshop.migrated();
  const person = await make.person();
  await database.close();
  return { service: await serveMetered(workshop, url, env), person };
}
