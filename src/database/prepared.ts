import { hash } from 'node:crypto';
import pg, { Client, Pool, type ClientConfig, type PoolConfig } from 'pg';
import { neverSent } from './errors.js';
import { SharedReads } from './shared-reads.js';

/** How many reads of one user may be pending on the connection for short reads, and on that for longer ones. */
const SHORT_SHARE = 64;
const LONG_SHARE = 8;

/** A connection of the pool that marks errors of connecting: no statement was sent before them. */
export class ServiceClient extends Client {
  /** `session.ts` sets the statement time-out: as part of connecting, poolers would reject or ignore it. */
  constructor(config: ClientConfig = {}) {
    super({ ...config, statement_timeout: undefined });
  }

  /** The pool calls this with a callback. */
  override connect(...args: unknown[]): never {
    const [callback] = args;
    if (typeof callback !== 'function') return Reflect.apply(super.connect, this, args) as never;
    const marked = (error: Error | null, client: unknown) => callback(error && neverSent(error), client);
    return Reflect.apply(super.connect, this, [marked]) as never;
  }
}

/**
 * The names of prepared statements, by text. A name is a digest of the text: if a pooler hands an instance the session of
 * another, a statement may be missing or exist already, but a name never means a different statement.
 */
const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = hash('sha256', text, 'base64url')));
  return name;
}

/** Prepares statements that have parameters, so that PostgreSQL parses and plans them once per connection. */
export class PreparingClient extends ServiceClient {
  /** Changes the call of one of the driver's overloads, and passes the others on. */
  override query(...args: unknown[]): never {
    const [text, values] = args;
    const isPreparable = typeof text === 'string' && Array.isArray(values) && values.length > 0 && args.length === 2;
    return Reflect.apply(super.query, this, isPreparable ? [{ name: nameOf(text), text, values }] : args) as never;
  }
}

/** A pool that prepares statements, and in addition two connections for shared reads. */
export class PreparingPool extends Pool {
  /** For reads that take well below a millisecond, and for those that take about one, so as not to delay the former. */
  readonly reads: { short: SharedReads; long: SharedReads };
  readonly #sharedPool: Pool;

  constructor(options: PoolConfig) {
    super({ ...options, Client: PreparingClient });
    this.#sharedPool = new Pool({ ...options, Client: PreparingClient, max: 2 });
    this.#sharedPool.on('error', () => undefined); // a connection lost while it is opened; whoever opens it gets the error
    this.reads = {
      short: new SharedReads(this.#sharedPool, SHORT_SHARE),
      long: new SharedReads(this.#sharedPool, LONG_SHARE),
    };
  }

  override end(): Promise<void>;
  override end(callback: (error?: Error) => void): void;
  override end(callback?: (error?: Error) => void): Promise<void> {
    const sharedEnded = this.#sharedPool.end();
    for (const reads of Object.values(this.reads)) reads.close();
    const ended = Promise.all([sharedEnded, super.end()]).then(() => callback?.());
    return callback === undefined ? ended : ended.catch(callback);
  }
}

/** A driver for TypeORM that prepares statements. It doesn't work with poolers that share sessions between clients. */
export const preparingDriver = { ...pg, Pool: PreparingPool };
