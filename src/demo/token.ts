import { chmod, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuthService } from '../auth/auth.service.js';
import { StartError } from '../config/start-error.js';
import type { Sql } from '../database/sql.js';
import { fillWithDemo } from './fill.js';

const DEMO_EMAIL = 'demo@example.com';

/**
 * A working token of the embedded database's demo user, who is made, and given something to look at, on the first
 * start. The token is kept in the data folder, beside the database's own password, so that every start prints the same
 * one and does no more; a revoked one is replaced.
 *
 * @param dataDir the embedded database's folder
 * @throws StartError if the token can't be kept there; none is made then
 */
export async function findDemoToken(auth: AuthService, sql: Sql, dataDir: string): Promise<string> {
  const file = join(dataDir, 'demo-token');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if ((await auth.findCaller(kept)) !== undefined) return kept;
  const refuse = ({ code }: NodeJS.ErrnoException) => {
    throw new StartError(`Can't write the demo token ${file} (${code}). Make it writable or remove it.`);
  };
  await makePrivate(file).catch(refuse);
  // Made first and looked for second, since a server that starts at the same time may be quicker.
  const user = await auth.createUser(DEMO_EMAIL, 'free').catch(() => auth.getUser(DEMO_EMAIL));
  await fillWithDemo(sql, user.id);
  const { token } = await auth.issueToken(user.id, { name: 'Demo', scope: 'write', expiresAt: null });
  await writeFile(file, token).catch(refuse);
  return token;
}

/** Makes a file that only its owner can read, and that can be written; one that is there may have been more open. */
async function makePrivate(file: string): Promise<void> {
  await (await open(file, 'a', 0o600)).close();
  await chmod(file, 0o600);
}
