import { hash } from 'node:crypto';
import { Client, type ClientConfig } from 'pg';
import { neverSent } from './errors.js';

/** A connection of the pool. What fails before it can be used is told from what fails under way. */
export class ServiceClient extends Client {
  /** Time-outs are not sent when connecting: poolers refuse what they don't know, or drop it. See `session.ts`. */
  constructor(config: ClientConfig) {
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
