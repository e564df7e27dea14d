import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuthService } from '../auth/auth.service.js';
import type { Sql } from '../database/sql.js';
import { fillWithDemo } from './fill.js';

const DEMO_EMAIL = 'demo@example.com';

/**
 * A working token of the embedded database's demo user, who is made, and given something to look at, on the first
 * start. The token is kept in the data folder, beside the database's own password, so that every start prints the same
 * one and does no more; a revoked one is replaced.
 *
 * @param dataDir the embedded database's folder
 */
export async function findDemoToken(auth: AuthService, sql: Sql, dataDir: string): Promise<string> {
  const file = join(dataDir, 'demo-token');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if ((await auth.findCaller(kept)) !== undefined) return kept;
  // Made first and looked for second, since a server that starts at the same time may be quicker.
  const user = await auth.createUser(DEMO_EMAIL, 'free').catch(() => auth.getUser(DEMO_EMAIL));
  await fillWithDemo(sql, user.id);
  const { token } = await auth.issueToken(user.id, { name: 'Demo', scope: 'write', expiresAt: null });
  await writeFile(file, token, { mode: 0o600 });
  return token;
}
