/**
 * `npm run dev`: builds the service and starts it, again after every change. The embedded database stays up meanwhile, so
 * that a change costs no restart of PostgreSQL.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadConfig } from './src/config/config.js';
import { runOrExit } from './src/config/start-error.js';
import { startEmbedded } from './src/database/embedded.js';

await runOrExit(async () => {
  const config = loadConfig();
  const database = config.DATABASE_URL === undefined ? await startEmbedded(config.DATA_DIR) : undefined;
  const nest = spawn('nest', ['start', '--watch', '--no-shell'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => nest.kill(signal));
  const [code] = await once(nest, 'exit');
  await database?.stop();
  process.exitCode = code ?? 1;
});
