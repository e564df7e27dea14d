import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { settings } from '../../../src/config/config.js';
import { createDatabase, type FreshDatabase } from '../../harness/fresh-database.js';
import { freePort } from '../../harness/ports.js';
import { Process, Workshop } from '../../harness/processes.js';
import { until } from '../../harness/until.js';
import { CASES, type Running, type Site } from './settings.js';

/**
 * The built service with what the image has beside it, and nothing else: no other package is there to be found. Once for
 * each setting.
 */

const workshop = new Workshop();
let folder: string;
let database: FreshDatabase;
let token: string;
let processes: Process[];

beforeAll(async () => {
  folder = await workshop.folder();
  await mkdir(join(folder, 'node_modules'));
  await Promise.all(
    ['dist', 'package.json', 'node_modules/swagger-ui-dist'].map((path) =>
      cp(path, join(folder, path), { recursive: true }),
    ),
  );
});
afterAll(() => workshop.clean());

beforeEach(async () => {
  processes = [];
  database = await createDatabase();
  await run('dist/cli.js', 'migration', 'run');
  await run('dist/cli.js', 'user', 'create', '--email', 'ann@example.com');
  token = (await run('dist/cli.js', 'token', 'create', '--email', 'ann@example.com')).stdout.trim();
});
afterEach(async () => {
  await Promise.all(processes.filter(({ hasEnded }) => !hasEnded).map((process) => process.stop('SIGKILL')));
  await database.drop();
});

function start(args: string[], env: Record<string, string>): Process {
  const defaults = { NODE_ENV: 'production', DATABASE_URL: database.url };
  const started = new Process(process.execPath, args, { ...defaults, ...env }, folder);
  processes.push(started);
  return started;
}

const run = (...args: string[]) => start(args, {}).ended;

async function serve(env: Record<string, string> = {}): Promise<Running> {
  const port = String(await freePort());
  const service = start(['dist/main.js'], { PORT: port, ...env });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => {
    if (service.hasEnded) throw new Error(`The service did not start:\n${service.stdout}${service.stderr}`);
    return fetch(`${url}/readyz`).then(({ ok }) => ok, () => false); // prettier-ignore
  }, 60_000);
  return {
    url,
    get output() {
      return service.stdout + service.stderr;
    },
    stop: () => service.stop(),
  };
}

const site = (): Site => ({
  database,
  token,
  serve,
  fail: async (env) => {
    const { code, stderr } = await start(['dist/main.js'], { PORT: String(await freePort()), ...env }).ended;
    expect(code).toBe(1);
    return stderr;
  },
});

it.each(Object.entries(CASES))('%s does what the table of settings says', (_, check) => check(site()));

it('NODE_ENV=development asks for the package that writes readable lines', async () => {
  const { code, stdout, stderr } = await start(['dist/main.js'], { NODE_ENV: 'development' }).ended;
  expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, stdout: '', lines: 1 });
  expect(stderr).toMatch(/NODE_ENV.*pino-pretty.*production/);
});

it('DATA_DIR is where the embedded database would be, for which a package is missing here', async () => {
  const { code, stderr } = await start(['dist/main.js'], { NODE_ENV: 'test', DATABASE_URL: '', DATA_DIR: join(folder, 'x') }).ended; // prettier-ignore
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^DATABASE_URL is not set.*embedded.*\n$/),
  });
});

it('has a case for each setting', () => {
  expect([...Object.keys(CASES), 'NODE_ENV', 'DATA_DIR'].toSorted()).toEqual(Object.keys(settings).toSorted());
});
