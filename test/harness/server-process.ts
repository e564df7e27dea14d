import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** The built service as a process of its own. */
export interface ServerProcess {
  url: string;
  stop(): Promise<void>;
}

/** Starts `dist/main.js` on a free port. @param env on top of what it needs to start at all */
export async function startServer(env: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('listening on')) resolve();
    });
    child.once('close', () => reject(new Error(`The service did not start: ${log}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
