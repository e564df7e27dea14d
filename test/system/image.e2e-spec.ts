import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createDatabase } from '../harness/fresh-database.js';
import { Workshop } from '../harness/processes.js';

const run = promisify(execFile);

/** The command of the image's health check, as it stands in the Dockerfile. */
const [command, ...args] = JSON.parse(/HEALTHCHECK[^[]*(\[.*\])/.exec(readFileSync('Dockerfile', 'utf8'))![1]!) as [
  string,
  ...string[],
];

const check = (port: string) =>
  run(command, args, { env: { ...process.env, PORT: port } }).then(
    () => 'healthy',
    () => 'unhealthy',
  );

describe("the image's health check", () => {
  const workshop = new Workshop();
  afterAll(() => workshop.clean());

  it('passes while the service is ready, and fails when its database is gone', async () => {
    const database = await createDatabase();
    const server = await workshop.serve({ DATABASE_URL: database.url, NODE_ENV: 'production' });
    const { port } = new URL(server.url);
    expect(await check(port)).toBe('healthy');
    await database.drop();
    expect(await check(port)).toBe('unhealthy');
    await server.stop();
    expect(await check(port)).toBe('unhealthy');
  });
});
