import { Pool, types, type PoolClient } from 'pg';
import { DATABASE_URL, POOL_SIZE } from '../http.js';

types.setTypeParser(types.builtins.INT8, Number);
types.setTypeParser(types.builtins.DATE, (text) => text);

export const pool = new Pool({ connectionString: DATABASE_URL, max: POOL_SIZE });

/** Runs statements all or none. */
export async function transaction<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}
