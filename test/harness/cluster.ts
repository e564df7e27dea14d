import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/database/database.js';
import { distribute } from '../../src/database/distribute.js';
import { queryOnce } from './query-once.js';

/** The addresses of a Citus cluster, the coordinator's first, where `TEST_CITUS_NODES` names a file that has them. */
export const CLUSTER = readCluster();

function readCluster(): string[] | undefined {
  const { TEST_CITUS_NODES: file } = process.env;
  return file === undefined ? undefined : readFileSync(file, 'utf8').trim().split('\n');
}

export const databaseAt = (server: string, name: string) => Object.assign(new URL(server), { pathname: name }).href;

/** Creates an empty database on all machines. @returns its address on the coordinator */
export async function createPlain(nodes: string[], name: string): Promise<string> {
  for (const node of nodes) {
    await queryOnce(`${node}?options=-c%20citus.enable_create_database_propagation%3Doff`, `create database ${name}`);
    await queryOnce(databaseAt(node, name), 'create extension citus');
  }
  const url = databaseAt(nodes[0]!, name);
  const [coordinator, ...workers] = nodes.map((node) => new URL(node));
  await queryOnce(url, 'select citus_set_coordinator_host($1, $2)', [coordinator!.hostname, coordinator!.port]);
  for (const { hostname, port } of workers) {
    const add = () => queryOnce(url, 'select citus_add_node($1, $2)', [hostname, port]);
    await add().catch(add); // its first connection to a busy machine may fail
  }
  return url;
}

/** Creates a database with the tables spread over all machines. @returns its address on the coordinator */
export async function createSpread(nodes: string[], name: string): Promise<string> {
  const url = await createPlain(nodes, name);
  await queryOnce(url, `alter database ${name} set citus.multi_task_query_log_level = 'log'`);
  const database = await openDatabase({ ...loadConfig({ DATABASE_URL: url }), DATABASE_POOL_SIZE: 1 });
  const queryRunner = database.dataSource.createQueryRunner();
  await distribute(queryRunner, 8);
  await queryRunner.release();
  await database.close();
  await queryOnce(url, `select distinct user_id from (select user_id from deletions limit 1) probe`); // tells that the log does
  return url;
}

export async function dropSpread(nodes: string[], name: string): Promise<void> {
  for (const node of nodes) await queryOnce(node, `drop database if exists ${name} with (force)`);
}

/**
 * How many sessions of a database wait for a lock, on whichever machine.
 *
 * @param query runs a statement in the database
 * @param pid of the session that is waited for; of any if omitted, and on a cluster
 */
export async function countWaits(query: (text: string) => Promise<unknown[]>, pid?: number): Promise<number> {
  const all = `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const here = pid === undefined ? all : `${all} and ${pid} = any (pg_blocking_pids(pid))`;
  const everywhere = `select sum(result::int)::int as n from run_command_on_all_nodes($$${all}$$)`;
  const [{ n }] = (await query(CLUSTER === undefined ? here : everywhere)) as [{ n: number | string }];
  return Number(n);
}

/** Beginnings of the statements that are not one user's, and so run on all machines. */
const OF_MANY_USERS = [
  // Of the service: tokens of version 0.1.0, which don't tell their user, and housekeeping that looks for old rows.
  'select is_standby as',
  'select distinct user_id from (select user_id from',
  // Of the command line: an email, and the list of users.
  'select id, email, plan, created_at as "createdAt" from users',
  // Of `cluster distribute`.
  "select 'users' as table",
];

/** Which tests' own statements, past the service, are of many users. */
const OF_TESTS = [
  /^update wins set [^,]+ where id = \$1$/,
  /^delete from tags where id = \$1$/,
  /^with counted as \( select 'space' as kind/,
];

const isOfMany = (text: string) =>
  OF_MANY_USERS.some((start) => text.startsWith(start)) || OF_TESTS.some((pattern) => pattern.test(text));

/**
 * Reads in the log of the coordinator which statements were run on more than one machine: there may be no others than those
 * of the lists above.
 *
 * @throws Error that lists them
 */
export async function checkTasks(): Promise<void> {
  const log = await readFile(join(dirname(process.env.TEST_CITUS_NODES!), 'node-0', 'log'), 'utf8');
  const [, ...entries] = log.split(/multi-task query about to be executed\n/);
  const statements = entries.map((entry) =>
    /STATEMENT: ([^]*?)(?=\n\d{4}-|$)/.exec(entry)![1]!.replaceAll(/\s+/g, ' ').trim(),
  );
  const others = [...new Set(statements.filter((text) => !isOfMany(text)))];
  if (others.length > 0) throw new Error(`Not planned for one machine:\n${others.join('\n')}`);
  if (statements.length === 0) throw new Error('The log of the coordinator does not tell.');
}
