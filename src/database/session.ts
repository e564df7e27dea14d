import type { Client, ClientBase, QueryResult } from 'pg';
import { neverSent, ReadOnlyServerError, UnfitSessionError } from './errors.js';

/** PostgreSQL settings, in milliseconds. */
export interface TimeOuts {
  statement_timeout: number;
  lock_timeout: number;
  idle_in_transaction_session_timeout: number;
}

/** The meaning of statements and results depends on these. A role, a database or a server may have other defaults. */
const REQUIRED = {
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  gin_fuzzy_search_limit: '0',
  quote_all_identifiers: 'off',
};

/** The schema that has the service's tables, or the one in which they would be created. */
export const SCHEMA = `coalesce(
  (select relnamespace::regnamespace::text from pg_class where oid = to_regclass('win_tags')),
  quote_ident(current_schema()))`;

interface State {
  pid: number;
  isStandby: boolean;
  replicationRole: string;
}

/** A default of the role's may be too short for what opens a session, so that is lifted first, for this transaction. */
const STATE = `
  begin; set local statement_timeout = 0;
  select pg_backend_pid() as pid, pg_is_in_recovery() as "isStandby",
    current_setting('session_replication_role') as "replicationRole";
  commit`;

/** Milliseconds that a server may take to respond on a new connection. */
const PATIENCE = 3_000;

/**
 * Returns what the pool runs on each new session, so that all sessions have the settings that the service relies on.
 *
 * They are set if the session stays with the client: if `keepsSessions` says so, or if there is no pooler in between. A
 * pooler that shares sessions would hand them to another client, so there they are only checked: an operator has to set
 * them for the role.
 *
 * @throws UnfitSessionError (from what it returns) if the server is read-only, or a setting is wrong that can't be set here
 */
export function sessionOpener(
  timeOuts: TimeOuts,
  keepsSessions: boolean,
  mayBeStandby = false,
): (client: ClientBase) => Promise<void> {
  const settings = Object.entries({ ...REQUIRED, ...timeOuts });
  const set = [
    'set statement_timeout = 0', // else the role's own would run on to the end of the whole message
    ...settings.map(([name, value]) => `set ${name} = '${value}'`),
    ...['idle_session_timeout', 'transaction_timeout'].map(
      (name) => `select set_config('${name}', '0', false) where current_setting('${name}', true) is not null`,
    ),
    `select set_config('search_path', ${SCHEMA}, false) where ${SCHEMA} is not null`,
  ].join('; ');
  return async (base) => {
    const client = base as Client;
    const deadline = setTimeout(() => client.connection.stream.destroy(), PATIENCE);
    try {
      const pid = await checkServer(client, mayBeStandby);
      const { processID } = client as Client & { processID: number };
      if (keepsSessions || pid === processID) await client.query(set);
      else await checkSettings(client, timeOuts);
    } catch (error) {
      throw error instanceof Error ? neverSent(error) : error;
    } finally {
      clearTimeout(deadline);
    }
  };
}

/** @returns the process id of the session @throws UnfitSessionError if the session can't be used */
async function checkServer(client: Client, mayBeStandby: boolean): Promise<number> {
  const results = (await client.query(STATE)) as unknown as QueryResult<State>[]; // one for each statement
  const { pid, isStandby, replicationRole } = results[2]!.rows[0]!;
  if (isStandby && !mayBeStandby) {
    // Ends the session on the server, so that a pooler in between doesn't hand it to the next client.
    await client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    throw new ReadOnlyServerError();
  }
  if (replicationRole !== 'origin') {
    throw new UnfitSessionError(
      `session_replication_role is "${replicationRole}", which disables triggers. Reset it for the role`,
    );
  }
  return pid;
}

/** @throws UnfitSessionError that lists what to set for the role */
async function checkSettings(client: Client, timeOuts: TimeOuts): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string; role: string }>(
    'select name, setting, quote_ident(current_user) as role from pg_settings where name = any ($1)',
    [Object.keys({ ...REQUIRED, ...timeOuts })],
  );
  const wrong = rows.flatMap(({ name, setting, role }) => {
    const limit = timeOuts[name as keyof TimeOuts];
    const wanted = REQUIRED[name as keyof typeof REQUIRED];
    const isRight =
      limit === undefined ? isSame(name, setting, wanted) : Number(setting) > 0 && Number(setting) <= limit;
    return isRight ? [] : [`alter role ${role} set ${name} = '${limit ?? wanted}'`];
  });
  if (wrong.length > 0) {
    throw new UnfitSessionError(
      `the pooler shares sessions, so the settings that the service relies on must be set for its role. Run: ${wrong.join('; ')}`,
    );
  }
}

function isSame(name: string, setting: string, wanted: string): boolean {
  if (name === 'DateStyle') return setting.startsWith('ISO');
  if (name === 'TimeZone') return /^(etc\/)?(utc|gmt|uct|zulu|universal)$/i.test(setting);
  return setting.toLowerCase() === wanted.toLowerCase();
}
