import pg, { Client, Pool, type PoolConfig } from 'pg';

/** Statement texts and their names, which only need to differ. Repositories have some dozens of texts. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `s${names.size + 1}`));
  return name;
}

/** Sends each statement with parameters as a prepared one, which PostgreSQL parses and plans once a connection. */
class PreparingClient extends Client {
  /** One of the driver's overloads is told apart, all others are passed on. */
  override query(...args: unknown[]): never {
    const [text, values] = args;
    const isPreparable = typeof text === 'string' && Array.isArray(values) && values.length > 0 && args.length === 2;
    return Reflect.apply(super.query, this, isPreparable ? [{ name: nameOf(text), text, values }] : args) as never;
  }
}

class PreparingPool extends Pool {
  constructor(options: PoolConfig) {
    super({ ...options, Client: PreparingClient });
  }
}

/** The driver for TypeORM that prepares statements. Poolers that change the session under a client can't have it. */
export const preparingDriver = { ...pg, Pool: PreparingPool };
