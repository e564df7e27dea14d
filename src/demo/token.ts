import { chmod, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuthService } from '../auth/auth.service.js';
import { StartError } from '../config/start-error.js';
import type { Sql } from '../database/sql.js';
import { fillWithDemo } from './fill.js';

const DEMO_EMAIL = 'demo@example.com';

/**
 * A valid token of the demo user. The first start creates the user, with example wins, and stores the token in the data
 * folder, next to the database's own password. Later starts return the same token, or replace it if it was revoked.
 *
 * @param dataDir the folder of the embedded database
 * @throws StartError if the token can't be stored there; no token is created then
 */
export async function findDemoToken(auth: AuthService, sql: Sql, dataDir: string): Promise<string> {
  const file = join(dataDir, 'demo-token');
  const stored = await readFile(file, 'utf8').catch(() => '');
  if ((await auth.findCaller(stored)) !== undefined) return stored;
  const fail = ({ code }: NodeJS.ErrnoException) => {
    throw new StartError(`Can't write the demo token ${file} (${code}). Make it writable or remove it.`);
  };
  await createPrivateFile(file).catch(fail);
  // Creates first and searches second: another server that starts at the same time may be quicker.
  const user = await auth.createUser(DEMO_EMAIL, 'free').catch(() => auth.getUser(DEMO_EMAIL));
  await fillWithDemo(sql, user.id);
  const { token } = await auth.issueToken({ userId: user.id }, { name: 'Demo', scope: 'write', expiresAt: null });
  await writeFile(file, token).catch(fail);
  return token;
}

/** Makes sure that a file exists, is writable, and only its owner can read it; an existing one may have been open to others. */
async function createPrivateFile(file: string): Promise<void> {
  await (await open(file, 'a', 0o600)).close();
  await chmod(file, 0o600);
}
