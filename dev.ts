/**
 * `npm run dev`: builds the service and starts it, again after every change. The embedded database stays up meanwhile, so
 * that a change costs no restart of PostgreSQL.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadConfig } from './src/config/config.js';
import { lifetime } from './src/config/lifetime.js';
import { startEmbedded } from './src/database/embedded.js';

await lifetime.run(async () => {
  const { signal } = lifetime;
  const config = loadConfig();
  if (config.DATABASE_URL === undefined) {
    const database = await startEmbedded(config.DATA_DIR, { signal });
    lifetime.onEnd(() => database.stop());
  }
  signal.throwIfAborted();
  const nest = spawn('nest', ['start', '--watch', '--no-shell'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  signal.addEventListener('abort', () => nest.kill(signal.reason));
  const [code] = await once(nest, 'exit');
  process.exitCode = code ?? 1;
  void lifetime.end();
});
