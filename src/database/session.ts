import type { Client, QueryResult } from 'pg';
import { neverSent, ReadOnlyServerError, UnfitSessionError } from './errors.js';

/** Milliseconds that a session gives what it waits for or works at. */
export interface TimeOuts {
  statement_timeout: number;
  lock_timeout: number;
  idle_in_transaction_session_timeout: number;
}

/** What statements and their results mean depends on these, and a role, a database or a server may have other defaults. */
const MEANING = {
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

/** The schema that has the service's tables, or else the one in which they would be created. */
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

/** Milliseconds in which a server that took a connection has to answer on it. */
const PATIENCE = 3_000;

/**
 * How the pool opens a session: with all that the service relies on, or not at all.
 *
 * A session's settings are set where they will last: where `keepsSessions` says so, or where nothing stands between.
 * Behind a pooler that shares sessions, they would soon be another's, so there they are only checked, and are to be set
 * for the role.
 *
 * @throws UnfitSessionError if the server is read-only, or a setting is wrong that can't be set here
 */
export function sessionOpener(timeOuts: TimeOuts, keepsSessions: boolean): (client: Client) => Promise<void> {
  const settings = Object.entries({ ...MEANING, ...timeOuts });
  const set = [
    'set statement_timeout = 0', // else the role's own would run on to the end of the whole message
    ...settings.map(([name, value]) => `set ${name} = '${value}'`),
    ...['idle_session_timeout', 'transaction_timeout'].map(
      (name) => `select set_config('${name}', '0', false) where current_setting('${name}', true) is not null`,
    ),
    `select set_config('search_path', ${SCHEMA}, false) where ${SCHEMA} is not null`,
  ].join('; ');
  return async (client) => {
    const deadline = setTimeout(() => client.connection.stream.destroy(), PATIENCE);
    try {
      const pid = await checkServer(client);
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

/** @returns the session's process @throws UnfitSessionError if it is of no use here */
async function checkServer(client: Client): Promise<number> {
  const results = (await client.query(STATE)) as unknown as QueryResult<State>[]; // one for each statement
  const { pid, isStandby, replicationRole } = results[2]!.rows[0]!;
  if (isStandby) {
    // Ended there, so that a pooler between does not hand it to the next one.
    await client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    throw new ReadOnlyServerError();
  }
  if (replicationRole !== 'origin') {
    throw new UnfitSessionError(
      `session_replication_role is "${replicationRole}", with which no trigger runs. Reset it for the role`,
    );
  }
  return pid;
}

/** @throws UnfitSessionError that names what to set for the role */
async function checkSettings(client: Client, timeOuts: TimeOuts): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string; role: string }>(
    'select name, setting, quote_ident(current_user) as role from pg_settings where name = any ($1)',
    [Object.keys({ ...MEANING, ...timeOuts })],
  );
  const wrong = rows.flatMap(({ name, setting, role }) => {
    const limit = timeOuts[name as keyof TimeOuts];
    const wanted = MEANING[name as keyof typeof MEANING];
    const isRight =
      limit === undefined ? isSame(name, setting, wanted) : Number(setting) > 0 && Number(setting) <= limit;
    return isRight ? [] : [`alter role ${role} set ${name} = '${limit ?? wanted}'`];
  });
  if (wrong.length > 0) {
    throw new UnfitSessionError(
      `the pooler shares sessions, so what the service relies on must be set for its role. Run: ${wrong.join('; ')}`,
    );
  }
}

function isSame(name: string, setting: string, wanted: string): boolean {
  if (name === 'DateStyle') return setting.startsWith('ISO');
  if (name === 'TimeZone') return /^(etc\/)?(utc|gmt|uct|zulu|universal)$/i.test(setting);
  return setting.toLowerCase() === wanted.toLowerCase();
}
