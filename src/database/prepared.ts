import { hash } from 'node:crypto';
import pg, { Client, Pool, type ClientConfig, type PoolConfig } from 'pg';
import { neverSent } from './errors.js';
import { SharedReads } from './shared-reads.js';

/** How many of one user's reads may be pending on a connection: short ones, and those of about a millisecond. */
const SHORT_SHARE = 64;
const LONG_SHARE = 8;

/** A connection of the pool. What fails before it can be used is told from what fails under way. */
export class ServiceClient extends Client {
  /** Time-outs are not sent when connecting: poolers refuse what they don't know, or drop it. See `session.ts`. */
  constructor(config: ClientConfig = {}) {
    super({ ...config, statement_timeout: undefined });
  }

  /** As the pool calls it. */
  override connect(...args: unknown[]): never {
    const [callback] = args;
    if (typeof callback !== 'function') return Reflect.apply(super.connect, this, args) as never;
    const told = (error: Error | null, client: unknown) => callback(error && neverSent(error), client);
    return Reflect.apply(super.connect, this, [told]) as never;
  }
}

/**
 * The names of statement texts. Of whatever instance, a name stands for one text only: where a pooler gives an instance
 * the session of another, the statement is missing or is there twice, but never a different one.
 */
const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = hash('sha256', text, 'base64url')));
  return name;
}

/** Sends each statement with parameters as a prepared one, which PostgreSQL parses and plans once a connection. */
export class PreparingClient extends ServiceClient {
  /** One of the driver's overloads is told apart, all others are passed on. */
  override query(...args: unknown[]): never {
    const [text, values] = args;
    const isPreparable = typeof text === 'string' && Array.isArray(values) && values.length > 0 && args.length === 2;
    return Reflect.apply(super.query, this, isPreparable ? [{ name: nameOf(text), text, values }] : args) as never;
  }
}

/** A pool that prepares statements, and beside it two connections that reads share. */
export class PreparingPool extends Pool {
  /** For reads of well below a millisecond, and for those of about one: the former would wait for the latter. */
  readonly reads: { short: SharedReads; long: SharedReads };
  readonly #beside: Pool;

  constructor(options: PoolConfig) {
    super({ ...options, Client: PreparingClient });
    this.#beside = new Pool({ ...options, Client: PreparingClient, max: 2 });
    this.#beside.on('error', () => undefined); // of a connection that is lost while it is opened; who opens it is told
    this.reads = {
      short: new SharedReads(this.#beside, SHORT_SHARE),
      long: new SharedReads(this.#beside, LONG_SHARE),
    };
  }

  override end(): Promise<void>;
  override end(callback: (error?: Error) => void): void;
  override end(callback?: (error?: Error) => void): Promise<void> {
    const beside = this.#beside.end();
    for (const reads of Object.values(this.reads)) reads.close();
    const ended = Promise.all([beside, super.end()]).then(() => callback?.());
    return callback === undefined ? ended : ended.catch(callback);
  }
}

/** The driver for TypeORM that prepares statements. Poolers that change the session under a client can't have it. */
export const preparingDriver = { ...pg, Pool: PreparingPool };
