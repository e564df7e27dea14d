/**
 * `npm run dev`: builds the service and starts it, again after every change. The embedded database stays up meanwhile, so
 * that a change costs no restart of PostgreSQL.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { context, type Plugin } from 'esbuild';
import options from './esbuild.config.js';
import { loadConfig } from './src/config/config.js';
import { lifetime } from './src/config/lifetime.js';
import { startEmbedded } from './src/database/embedded.js';

const OUTDIR = 'dist-dev';

let service: ChildProcess | undefined;

async function stop(): Promise<void> {
  if (service?.exitCode !== null || service.signalCode !== null) return;
  const { reason } = lifetime.signal;
  service.kill(typeof reason === 'string' ? (reason as NodeJS.Signals) : 'SIGTERM');
  await once(service, 'exit');
}

/** Restarts the service after each build. If a build fails, esbuild prints why, and the service keeps running. */
const restart: Plugin = {
  name: 'restart',
  setup({ onEnd }) {
    onEnd(async ({ errors }) => {
      if (errors.length > 0) return;
      await stop();
      if (lifetime.signal.aborted) return;
      service = spawn(process.execPath, ['--enable-source-maps', `${OUTDIR}/main.js`], { stdio: 'inherit' });
    });
  },
};

await lifetime.run(async () => {
  const { signal } = lifetime;
  const config = loadConfig();
  if (config.DATABASE_URL === undefined) {
    const database = await startEmbedded(config.DATA_DIR, { signal });
    lifetime.onEnd(() => database.stop());
  }
  signal.throwIfAborted();
  await rm(OUTDIR, { recursive: true, force: true });
  const building = await context({
    ...options,
    outdir: OUTDIR,
    packages: 'external', // so that a build takes 0.2 s, and few files are watched
    alias: {},
    inject: [], // server.ts imports it first
    minifyWhitespace: false,
    sourcemap: true,
    plugins: [...options.plugins!, restart],
  });
  lifetime.onEnd(stop);
  await building.watch();
});
