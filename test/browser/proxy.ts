import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that serves a service below a path, which it takes away from what it passes on. */
export interface Proxy {
  /** Where the service is for clients, its path included. */
  url: string;
  forwardTo(service: string): void;
  close(): Promise<void>;
}

/** @param prefix the path, such as `/team` */
export async function startProxy(prefix: string): Promise<Proxy> {
  let target = '';
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end();
    const passedOn = request(target + url.slice(prefix.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    passedOn.on('error', () => outgoing.destroy());
    incoming.pipe(passedOn);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    forwardTo: (service) => void (target = service),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
