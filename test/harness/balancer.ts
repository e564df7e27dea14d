import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { succeeds } from './call.js';

/** A load balancer as plain as they come: in turn to each instance that says it is ready, and no second try. */
export class Balancer {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;
  #ready: string[] = [];
  #turn = 0;
  #isStopping = false;
  #probing: Promise<void> = Promise.resolve();
  url = '';

  /** @param instances their addresses */
  constructor(readonly instances: string[]) {
    this.#server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing));
  }

  async start(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    const address = this.#server.address();
    this.url = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
    this.#probing = this.#probe();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#probing;
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
    this.#agent.destroy();
  }

  isUsed(instance: string): boolean {
    return this.#ready.includes(instance);
  }

  async #probe(): Promise<void> {
    while (!this.#isStopping) {
      const states = await Promise.all(this.instances.map((instance) => succeeds(`${instance}/readyz`)));
      this.#ready = this.instances.filter((_, n) => states[n]);
      await sleep(100);
    }
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const target = this.#ready[this.#turn++ % this.#ready.length];
    if (target === undefined) return void outgoing.writeHead(502).end();
    const { method, url, headers } = incoming;
    const passed = request(target + url, { method, headers, agent: this.#agent }, (answer) => {
      const { connection: _, 'keep-alive': __, ...others } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, others);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(passed);
  }
}
