import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, isListening } from './ports.js';
import { until } from './until.js';

/** nginx before a server. */
export interface Nginx {
  url: string;
  stop(): Promise<void>;
}

/** Starts nginx with its defaults as a proxy. @param upstream where it sends requests */
export async function startNginx(upstream: string): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'wins-nginx-'));
  await chmod(folder, 0o755); // its workers are another user
  const port = await freePort();
  const config = `
    daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {}
    http {
      access_log off;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass ${upstream};
          proxy_set_header Host $host;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }
      }
    }`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  await until(() => isListening(port));
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      if (nginx.exitCode === null && nginx.signalCode === null) {
        nginx.kill('SIGTERM');
        await once(nginx, 'exit');
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
