import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { APPLICATION_NAME } from './data-source.js';

/** Milliseconds between two questions whether the connection still hears. */
const PING_EVERY = 300;

/** Milliseconds without an answer after which it is taken for deaf. */
const DEAF_AFTER = 900;

/** Milliseconds before a lost connection is made again. */
const RECONNECT_AFTER = 200;

/** What a listener does with what it hears. */
export interface Ears {
  /** @param message the payload of a notification */
  heard(message: string): void;
  /** The connection is new: whatever was said before may have been missed. */
  missed(): void;
}

/**
 * Hears what PostgreSQL notifies on a channel, over a connection of its own that is made again whenever it is lost, and
 * knows whether it does hear: a connection that was cut somewhere on the way looks alive for minutes.
 */
export class Listener {
  #heardAt = -Infinity;
  #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly ears: Ears,
  ) {}

  /** Whether everything said until `DEAF_AFTER` ago was heard. */
  get isCurrent(): boolean {
    return performance.now() - this.#heardAt < DEAF_AFTER;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const client = new Client({
        connectionString: this.url,
        application_name: `${APPLICATION_NAME} listener`,
        connectionTimeoutMillis: DEAF_AFTER,
        query_timeout: DEAF_AFTER,
      });
      client.on('notification', ({ payload = '' }) => this.ears.heard(payload));
      client.on('error', () => (this.#heardAt = -Infinity));
      try {
        await client.connect();
        await client.query(`listen ${client.escapeIdentifier(this.channel)}`);
        await this.#hearItself(client);
        this.ears.missed();
        while (!signal.aborted) {
          const asked = performance.now();
          await client.query('select 1');
          this.#heardAt = asked;
          await sleep(PING_EVERY, undefined, { signal });
        }
      } catch {
        // Lost, deaf or stopped: the loop decides.
      }
      this.#heardAt = -Infinity;
      // Where the server hangs, it would never close its side.
      await Promise.race([client.end(), sleep(DEAF_AFTER, undefined, { ref: false })]).catch(() => undefined);
      await sleep(RECONNECT_AFTER, undefined, { signal }).catch(() => undefined);
    }
  }

  /** A pooler may take `listen` and never pass on a word. @throws if what is said here is not heard here */
  async #hearItself(client: Client): Promise<void> {
    const word = randomUUID();
    const heard = new Promise<void>((resolve) => {
      client.on('notification', ({ payload }) => payload === word && resolve());
    });
    await client.query('select pg_notify($1, $2)', [this.channel, word]);
    const deaf = sleep(DEAF_AFTER, undefined, { ref: false }).then(() => Promise.reject(new Error('It hears nothing')));
    await Promise.race([heard, deaf]);
  }
}
