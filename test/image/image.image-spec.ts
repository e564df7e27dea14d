import { Client as Session } from 'pg';
import { Client } from '../harness/client.js';
import { createDatabase, type FreshDatabase } from '../harness/fresh-database.js';
import { freePort } from '../harness/ports.js';
import { until } from '../harness/until.js';
import { CASES } from '../system/operators/settings.js';
import { buildImage, Container, imageTool, inspectImage, type Inspection } from '../harness/container.js';

// On a new machine the base image is made first, which takes minutes.
import.meta.jest.setTimeout(1_200_000);

const MAX_SIZE = 60; // MB of the layers that the Dockerfile adds
const MAX_START = 2_000; // milliseconds from the start of the process to the first 200
const MAIN = ['node', 'dist/main.js'];
const CLI = ['node', 'dist/cli.js'];

const suite = imageTool === undefined ? describe.skip : describe;
if (imageTool === undefined) {
  console.warn(
    'The image is not tested here: that needs root and a program that builds and runs it, which IMAGE_TOOL names ' +
      '(else ../shared/container/try-image).',
  );
}

/** Every file in the image's folder, and what of it its user could change. */
const LIST_FILES = `
  const { accessSync, constants, readdirSync } = require('node:fs');
  const { join } = require('node:path');
  const entries = readdirSync('/app', { recursive: true, withFileTypes: true });
  const pathOf = (entry) => join(entry.parentPath, entry.name);
  const files = entries.filter((entry) => !entry.isDirectory()).map(pathOf);
  const isWritable = (path) => { try { accessSync(path, constants.W_OK); return true; } catch { return false; } };
  console.log(JSON.stringify({ files, writable: ['/app', ...entries.map(pathOf)].filter(isWritable) }));`;

suite('The image', () => {
  let image: Inspection;
  let files: string[];
  let writable: string[];

  beforeAll(async () => {
    await buildImage();
    image = await inspectImage();
    const listed = await Container.run(['node', '-e', LIST_FILES]);
    ({ files, writable } = JSON.parse(listed.stdout) as { files: string[]; writable: string[] });
  });

  it(`adds less than ${MAX_SIZE} MB to its base`, () => {
    const size = image.size - image.baseSize;
    console.info(`The image adds ${size} MB to its base.`);
    expect(size).toBeGreaterThan(0);
    expect(size).toBeLessThan(MAX_SIZE);
  });

  it('has the built code, its licences and its bill of materials, the files of the explorer, and nothing else', () => {
    expect(files).toEqual(
      expect.arrayContaining(['/app/dist/main.js', '/app/dist/LICENCES.txt', '/app/dist/sbom.cdx.json']),
    );
    const others = files.filter(
      (path) =>
        !/^\/app\/(package\.json|compiled\/.+|dist\/([^/]+\.(js|css|svg)|LICENCES\.txt|sbom\.cdx\.json))$/.test(path),
    );
    expect(files.filter((path) => path.startsWith('/app/compiled/')).length).toBeGreaterThan(10);
    const explorer = ['package.json', 'swagger-ui-bundle.js', 'swagger-ui.css'];
    expect(others.toSorted()).toEqual(explorer.map((name) => `/app/node_modules/swagger-ui-dist/${name}`));
  });

  it('runs as an ordinary user, who can change nothing of it, and starts what it runs without a shell', () => {
    expect(image.user).toBe('node');
    expect(writable).toEqual([]);
    expect([...(image.entrypoint ?? []), ...image.command]).toEqual(MAIN);
    expect(image.healthcheck.Test.slice(0, 2)).toEqual(['CMD', 'node']);
  });

  describe('in a container that has no shell and can write nothing', () => {
    let database: FreshDatabase;
    let port: number;
    let url: string;
    let containers: Container[];

    beforeEach(async () => {
      containers = [];
      database = await createDatabase();
      port = await freePort();
      url = `http://127.0.0.1:${port}`;
    });
    afterEach(async () => {
      await Promise.all(containers.filter(({ hasEnded }) => !hasEnded).map((container) => container.stop('SIGKILL')));
      await database.drop();
    });

    /** The service, as the image runs it, once it is ready. */
    const serve = async (env: Record<string, string> = {}): Promise<Container> => {
      const container = await Container.start(MAIN, { DATABASE_URL: database.url, PORT: String(port), ...env });
      containers.push(container);
      await until(async () => {
        if (container.hasEnded) throw new Error(`It did not start:\n${container.stdout}${container.stderr}`);
        return fetch(`${url}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        );
      }, 60_000);
      return container;
    };

    const check = async () => (await Container.run(image.healthcheck.Test.slice(1), { PORT: String(port) })).code;

    const cli = (...args: string[]) => Container.run([...CLI, ...args], { DATABASE_URL: database.url });

    it('migrates, becomes ready, and is healthy for as long as its database is there', async () => {
      expect(await check()).toBe(1);
      const container = await serve();
      expect(await database.query('select from migrations')).not.toEqual([]);
      expect(await check()).toBe(0);
      await database.drop();
      expect(await check()).toBe(1);
      expect(await container.stop()).toMatchObject({ code: 0, stderr: '' });
    });

    it('has the commands for the schema, users and tokens', async () => {
      expect(await cli('migration', 'run')).toMatchObject({ code: 0, stderr: '' });
      const email = 'ann@example.com';
      expect(await cli('user', 'create', '--email', email, '--plan', 'pro')).toMatchObject({ code: 0, stderr: '' });
      const users = await cli('user', 'list', '--json');
      expect(JSON.parse(users.stdout)).toMatchObject([{ email, plan: 'pro' }]);
      const { stdout } = await cli('token', 'create', '--email', email);
      const [{ id }] = JSON.parse((await cli('token', 'list', '--email', email, '--json')).stdout) as [{ id: number }];

      await serve({ MIGRATIONS: 'off' });
      const client = new Client(url, stdout.trim());
      expect(await client.post('/api/v1/tags', { tag: { name: 'Launch' } })).toMatchObject({ status: 201 });
      const revoked = await cli('token', 'revoke', '--email', email, '--id', String(id), '--yes');
      expect(revoked).toMatchObject({ code: 0, stderr: '' });
      await until(async () => (await client.get('/api/v1/tags')).status === 401);
    });

    it('answers what is in flight when it is told to stop, and ends with code 0', async () => {
      const container = await serve();
      await cli('user', 'create', '--email', 'ann@example.com');
      const { stdout } = await cli('token', 'create', '--email', 'ann@example.com');
      const writer = new Session({ connectionString: database.url });
      await writer.connect();
      try {
        await writer.query('begin; lock table tags');
        const answer = new Client(url, stdout.trim()).post('/api/v1/tags', { tag: { name: 'Late' } });
        await until(async () => (await database.query('select from pg_locks where not granted')).length > 0);
        container.kill('SIGTERM');
        await until(() =>
          fetch(url).then(
            () => false,
            () => true,
          ),
        );
        await writer.query('commit');
        expect(await answer).toMatchObject({ status: 201, body: { name: 'Late' } });
      } finally {
        await writer.end();
      }
      expect(await container.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    });

    it.each(Object.entries(CASES))('%s does what the table of settings says', async (_, settle) => {
      await cli('migration', 'run');
      await cli('user', 'create', '--email', 'ann@example.com');
      const token = (await cli('token', 'create', '--email', 'ann@example.com')).stdout.trim();
      await settle({
        database,
        token,
        async serve(env = {}) {
          const container = await serve({ HOST: '127.0.0.1', ...env });
          return {
            url,
            get output() {
              return container.stdout + container.stderr;
            },
            stop: () => container.stop(),
          };
        },
        async fail(env) {
          const settings = { DATABASE_URL: database.url, PORT: String(port), ...env };
          const { code, stderr } = await Container.run(MAIN, settings);
          expect(code).toBe(1);
          return stderr;
        },
      });
    });

    it(`answers within ${MAX_START} ms of its start`, async () => {
      expect(await cli('migration', 'run')).toMatchObject({ code: 0 });
      const times: number[] = [];
      for (let n = 0; n < 3; n++) {
        const container = await serve();
        times.push(Math.round(performance.now() - container.begun));
        await container.stop();
      }
      console.info(`From the start to the first 200: ${times.join(', ')} ms.`);
      expect(times.toSorted((a, b) => a - b)[1]).toBeLessThan(MAX_START);
    });
  });
});
