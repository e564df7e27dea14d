import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { freePort } from '../harness/ports.js';
import { findPostmaster, Process, Workshop } from '../harness/processes.js';
import { until } from '../harness/until.js';

import.meta.jest.setTimeout(300_000);

const MODULES = resolve('node_modules');
const ROUNDS = 3;

/** Milliseconds, for a machine that runs other tests meanwhile; alone it takes less than 2 s. */
const MAX_RELOAD = 10_000;

const workshop = new Workshop();
afterAll(() => workshop.clean());

describe('npm run dev', () => {
  it('serves a saved change soon, survives a syntax error, keeps the database up, and stops both with code 0', async () => {
    const folder = await workshop.folder();
    for (const name of ['src', 'dev.ts', 'package.json', 'esbuild.config.js', '.swcrc']) {
      await cp(name, join(folder, name), { recursive: true });
    }
    await symlink(MODULES, join(folder, 'node_modules'));
    const port = await freePort();
    const env = {
      PATH: [join(MODULES, '.bin'), process.env.PATH].join(delimiter),
      PORT: String(port),
      LOG_LEVEL: 'warn',
    };
    const dev = new Process('tsx', ['dev.ts'], env, folder);
    try {
      const controller = join(folder, 'src/operations/health.controller.ts');
      const text = await readFile(controller, 'utf8');
      const isServed = (status: string) =>
        until(async () => {
          if (dev.hasEnded) throw new Error(`It ended:\n${dev.stdout}${dev.stderr}`);
          const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
          return (await answer?.text()) === JSON.stringify({ status });
        }, 120_000);
      await isServed('ok');
      const postmaster = await findPostmaster(join(folder, '.data'));

      const times: number[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        await until(() => dev.stdout.split('Explorer').length > round); // it has started whole, and is being watched
        const start = performance.now();
        await writeFile(controller, text.replaceAll(`status: 'ok'`, `status: 'round ${round}'`));
        await isServed(`round ${round}`);
        times.push(Math.round(performance.now() - start));
      }
      console.info(`From a saved change to its first answer: ${times.join(', ')} ms.`);
      expect(times.toSorted((a, b) => a - b)[1]).toBeLessThan(MAX_RELOAD);

      await writeFile(controller, `${text}\nclass {`);
      await until(() => dev.stderr.includes('Expected ident'));
      await isServed(`round ${ROUNDS}`);
      await writeFile(controller, text);
      await isServed('ok');
      expect(await findPostmaster(join(folder, '.data'))).toEqual(postmaster);

      expect(await dev.stop('SIGINT')).toMatchObject({ code: 0, signal: null });
      expect(await findPostmaster(join(folder, '.data'))).toEqual({});
    } finally {
      if (!dev.hasEnded) await dev.stop('SIGINT');
    }
  });
});
