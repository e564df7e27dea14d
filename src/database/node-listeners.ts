import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { unlessAborted } from '../config/lifetime.js';
import { Listener, type Handlers } from './listener.js';
import type { Sql } from './sql.js';

/** Milliseconds between two looks at which machines a cluster has, and after how many without one they are unknown. */
const LOOK_EVERY = 300;
const UNKNOWN_AFTER = 900;

/** A machine that is added later is there from the next look on. Where it is, the service has to reach it, too. */
const NODES = `select nodename as hostname, nodeport::text as port from pg_dist_node where noderole = 'primary'`;

interface Node {
  hostname: string;
  port: string;
}

/**
 * Receives the notifications of a channel from every machine that has tables: of a cluster, each sends its own to those
 * who listen there.
 */
export class NodeListeners {
  readonly #listeners = new Map<string, Listener>();
  readonly #stopped = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  #lookedAt = -Infinity;

  constructor(
    private readonly sql: Sql,
    private readonly channel: string,
    private readonly handlers: Handlers,
  ) {}

  /** Whether every notification sent until a second ago has arrived, wherever it was sent. */
  get isCurrent(): boolean {
    if (this.sql.isSpread && performance.now() - this.#lookedAt > UNKNOWN_AFTER) return false;
    for (const listener of this.#listeners.values()) if (!listener.isCurrent) return false;
    return this.#listeners.size > 0;
  }

  start(): void {
    if (this.sql.isSpread) this.#looking = this.#look();
    else this.#listenAt([this.sql.url]);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#looking;
    await Promise.all([...this.#listeners.values()].map((listener) => listener.stop()));
  }

  async #look(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      try {
        const nodes = await unlessAborted(this.sql.query<Node>(NODES), signal);
        this.#listenAt(nodes.map((node) => addressOf(node, this.sql.url)));
        this.#lookedAt = performance.now();
      } catch {
        // the machines are unknown after a while
      }
      await sleep(LOOK_EVERY, undefined, { signal }).catch(() => undefined);
    }
  }

  #listenAt(urls: string[]): void {
    for (const url of urls) {
      if (this.#listeners.has(url)) continue;
      const listener = new Listener(url, this.channel, this.handlers);
      this.#listeners.set(url, listener);
      listener.start();
    }
    for (const [url, listener] of this.#listeners) {
      if (urls.includes(url)) continue;
      this.#listeners.delete(url);
      void listener.stop();
    }
  }
}

/** The address of a machine, for who uses the database at another one. @throws Error if a URL can't have its name */
export function addressOf({ hostname, port }: Node, databaseUrl: string): string {
  const url = new URL(databaseUrl);
  for (const name of ['host', 'port']) url.searchParams.delete(name); // would come before what follows
  const host = isIPv6(hostname) ? `[${hostname}]` : hostname;
  Object.assign(url, { hostname: host, port });
  if (url.hostname !== host) throw new Error(`Not the name of a machine: ${hostname}`);
  return url.href;
}
