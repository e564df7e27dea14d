import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { startApp } from '../harness/app.js';
import { Process, Workshop } from '../harness/processes.js';

/** The client as others get it: packed, and unpacked where nothing else is but what it depends on. */

const run = promisify(execFile);

const workshop = new Workshop();
afterAll(() => workshop.clean());

let folder: string;
let packed: string[];
beforeAll(async () => {
  folder = await workshop.folder();
  const options = ['--json', '--ignore-scripts', '--workspace', 'client', '--pack-destination', folder];
  const { stdout } = await run('npm', ['pack', ...options], { env: { ...process.env, NODE_OPTIONS: '' } });
  const [{ filename, files }]: [{ filename: string; files: { path: string }[] }] = JSON.parse(stdout);
  packed = files.map(({ path }) => path);
  const unpacked = join(folder, 'node_modules', 'wins-client');
  await mkdir(unpacked, { recursive: true });
  await run('tar', ['-xzf', join(folder, filename), '-C', unpacked, '--strip-components=1']);
  await symlink(resolve('node_modules/openapi-fetch'), join(folder, 'node_modules', 'openapi-fetch'));
});

it('has what is built, its pages and nothing else', () => {
  const modules = ['error', 'generated/document', 'generated/models', 'generated/routes', 'index'];
  const built = modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`, `dist/${name}.js.map`]);
  expect(packed.toSorted()).toEqual(['CHANGELOG.md', 'README.md', ...built, 'package.json'].toSorted());
});

it('runs in Node as it is', async () => {
  const app = await startApp();
  try {
    const ann = await app.make.person();
    const file = join(folder, 'example.mjs');
    await writeFile(
      file,
      `import { createClient, WinsError } from 'wins-client';
      const [baseUrl, token] = ${JSON.stringify([app.url, ann.token])};
      const wins = createClient({ baseUrl, token });
      console.log((await wins.getMe()).email);
      const error = await createClient({ baseUrl, token: null }).getMe().catch((error) => error);
      console.log(error instanceof WinsError, error.code);`,
    );
    const { stdout, stderr } = await new Process(process.execPath, [file], {}, folder).ended;
    expect({ stdout, stderr }).toEqual({ stdout: `${ann.email}\ntrue unauthenticated\n`, stderr: '' });
  } finally {
    await app.close();
  }
});

it.each(['browser', 'node'] as const)(
  'adds less than 5 kB to a bundle for a %s, openapi-fetch included',
  (platform) => {
    const { outputFiles, warnings } = buildSync({
      stdin: { contents: `export { createClient, WinsError } from 'wins-client';`, resolveDir: folder },
      bundle: true,
      minify: true,
      format: 'esm',
      platform,
      write: false,
    });
    expect(warnings).toEqual([]);
    expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThan(5_000);
  },
);

it('adds nothing to a bundle that does not use it', () => {
  const { outputFiles } = buildSync({
    stdin: { contents: `import { createClient } from 'wins-client';`, resolveDir: folder },
    bundle: true,
    format: 'esm',
    write: false,
  });
  expect(outputFiles[0]!.text.trim()).not.toContain('createClient');
});

it('has types that a browser project reads', async () => {
  await writeFile(
    join(folder, 'page.ts'),
    `import { createClient, type Tag } from 'wins-client';
    const wins = createClient({ baseUrl: location.origin, token: () => localStorage.getItem('token') });
    export const load = async (): Promise<Tag[]> => (await wins.listTags({ page: 2 })).items;
    // @ts-expect-error a query that is misspelt
    export const fail = () => wins.listTags({ pag: 2 });`,
  );
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const { code, stdout } = await new Process(process.execPath, [tsc, ...options, 'page.ts'], {}, folder).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
});
