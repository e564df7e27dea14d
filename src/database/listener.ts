import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { APPLICATION_NAME } from './data-source.js';

/** Milliseconds between two heartbeats. */
const HEARTBEAT_EVERY = 300;

/** Milliseconds after which, without a heartbeat, notifications may have been missed. */
const STALE_AFTER = 900;

/** Milliseconds before reconnecting after a connection is lost, and where notifications never arrived at all. */
const RECONNECT_AFTER = 200;
const RETRY_AFTER = 5_000;

/**
 * Sends a heartbeat: notifies channel `$1` with the payload `$2`. It need not survive a crash, so it waits for no disk or
 * standby. PostgreSQL sends the notifications of a database one at a time, so one that has to wait too long gives up.
 */
const HEARTBEAT = `
  select set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '${STALE_AFTER}ms', true), pg_notify($1, $2)`;

export interface Handlers {
  onNotification(payload: string): void;
  /** A connection was just opened; notifications sent before that may have been missed. */
  onReconnect(): void;
}

/**
 * Receives the notifications of a PostgreSQL channel (`LISTEN`) and knows whether they arrive.
 *
 * One connection listens, and a second one sends heartbeats to it. Notifications arrive in the order of their commits, so
 * a heartbeat that arrives proves that all notifications before it did too. One that doesn't arrive reveals what nothing
 * else would: a connection that was silently cut, or a pooler that doesn't pass notifications on.
 */
export class Listener {
  /** When the last heartbeat that arrived was sent. */
  #lastHeartbeat = -Infinity;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /** Only this instance sends to this channel and listens to it. */
  readonly #heartbeatChannel = `listener_${randomUUID()}`;

  constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly handlers: Handlers,
  ) {}

  /** Whether every notification sent up to `STALE_AFTER` ago has arrived. */
  get isCurrent(): boolean {
    return performance.now() - this.#lastHeartbeat < STALE_AFTER;
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
      const before = this.#lastHeartbeat;
      const error: unknown = await this.#listen(signal).catch((reason: unknown) => reason);
      const neverArrived = error instanceof NoNotificationError && this.#lastHeartbeat === before;
      this.#lastHeartbeat = -Infinity;
      await sleep(neverArrived ? RETRY_AFTER : RECONNECT_AFTER, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Listens until a connection is lost, a heartbeat fails to arrive, or the signal is aborted. Always throws. */
  async #listen(signal: AbortSignal): Promise<void> {
    const [listening, sending] = [this.#client(), this.#client()];
    const lost = new AbortController();
    for (const client of [listening, sending]) client.on('error', () => lost.abort());
    listening.on('notification', ({ channel, payload = '' }) => {
      if (channel === this.#heartbeatChannel) this.#lastHeartbeat = Number(payload);
      else this.handlers.onNotification(payload);
    });
    try {
      await Promise.all([listening.connect(), sending.connect()]);
      await listening.query([this.channel, this.#heartbeatChannel].map((name) => `listen "${name}"`).join('; '));
      this.handlers.onReconnect();
      await this.#sendHeartbeats(sending, AbortSignal.any([signal, lost.signal]));
    } finally {
      // A server that hangs would never close its side.
      const ends = Promise.allSettled([listening.end(), sending.end()]);
      await Promise.race([ends, sleep(STALE_AFTER, undefined, { ref: false })]);
    }
  }

  /** @throws NoNotificationError once no heartbeat has arrived for a while */
  async #sendHeartbeats(client: Client, signal: AbortSignal): Promise<void> {
    const start = performance.now();
    for (;;) {
      const now = performance.now();
      if (now - Math.max(start, this.#lastHeartbeat) > STALE_AFTER + HEARTBEAT_EVERY) throw new NoNotificationError();
      await client.query(HEARTBEAT, [this.#heartbeatChannel, String(now)]);
      await sleep(HEARTBEAT_EVERY, undefined, { signal });
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

class NoNotificationError extends Error {}
