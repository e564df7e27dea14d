import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { APPLICATION_NAME } from './data-source.js';

/** Milliseconds between two words that are sent to be heard. */
const SPEAK_EVERY = 300;

/** Milliseconds after which a word that was not heard says that others may not be either. */
const STALE_AFTER = 900;

/** Milliseconds before lost connections are made again, and before another try where nothing was ever heard. */
const RECONNECT_AFTER = 200;
const RETRY_AFTER = 5_000;

/**
 * Says a word (`$2`) on a channel (`$1`). It need not survive a crash, so no disk or standby is waited for; and all
 * notifications of a database go one at a time, so one that has to wait gives up.
 */
const SPEAK = `
  select set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '${STALE_AFTER}ms', true), pg_notify($1, $2)`;

/** What a listener calls. */
export interface Handlers {
  /** @param message the payload of a notification */
  onMessage(message: string): void;
  /** The connection is new: whatever was said before may have been missed. */
  onReconnect(): void;
}

/**
 * Hears what PostgreSQL notifies on a channel, and knows whether it does. One connection only listens. A second one says
 * a word every moment, as others would. All words arrive in the order of their commits: once one was heard, so was all
 * that was said before it. A connection that was cut on the way, or a pooler that keeps notifications to itself, is
 * told by a word that does not arrive.
 */
export class Listener {
  /** When the latest word was sent that was heard. */
  #heard = -Infinity;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /** The one channel that only this instance speaks and listens on. */
  readonly #ownChannel = `listener_${randomUUID()}`;

  constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly handlers: Handlers,
  ) {}

  /** Whether everything was heard that was said until `STALE_AFTER` ago. */
  get isCurrent(): boolean {
    return performance.now() - this.#heard < STALE_AFTER;
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
      const before = this.#heard;
      const error: unknown = await this.#listen(signal).catch((reason: unknown) => reason);
      const isDeaf = error instanceof DeafError && this.#heard === before;
      this.#heard = -Infinity;
      await sleep(isDeaf ? RETRY_AFTER : RECONNECT_AFTER, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Listens until something is wrong. */
  async #listen(signal: AbortSignal): Promise<void> {
    const [ear, mouth] = [this.#client(), this.#client()];
    const lost = new AbortController();
    for (const client of [ear, mouth]) client.on('error', () => lost.abort());
    ear.on('notification', ({ channel, payload = '' }) => {
      if (channel === this.#ownChannel) this.#heard = Number(payload);
      else this.handlers.onMessage(payload);
    });
    try {
      await Promise.all([ear.connect(), mouth.connect()]);
      await ear.query([this.channel, this.#ownChannel].map((name) => `listen "${name}"`).join('; '));
      this.handlers.onReconnect();
      await this.#speak(mouth, AbortSignal.any([signal, lost.signal]));
    } finally {
      // Where the server hangs, it would never close its side.
      const ends = Promise.allSettled([ear.end(), mouth.end()]);
      await Promise.race([ends, sleep(STALE_AFTER, undefined, { ref: false })]);
    }
  }

  /** @throws DeafError once nothing is heard for a while */
  async #speak(mouth: Client, signal: AbortSignal): Promise<void> {
    const start = performance.now();
    for (;;) {
      const now = performance.now();
      if (now - Math.max(start, this.#heard) > STALE_AFTER + SPEAK_EVERY) throw new DeafError();
      await mouth.query(SPEAK, [this.#ownChannel, String(now)]);
      await sleep(SPEAK_EVERY, undefined, { signal });
    }
  }

  #client(): Client {
    return new Client({
      connectionString: this.url,
      application_name: `${APPLICATION_NAME} listener`,
      keepAlive: true,
      connectionTimeoutMillis: STALE_AFTER,
      query_timeout: STALE_AFTER,
    });
  }
}

/** What is said is not heard. */
class DeafError extends Error {}
