import type { DataSource, QueryRunner } from 'typeorm';
import { StartError } from '../config/start-error.js';
import { ALLOW_TRIGGERS, clusterForms, schemaPrefix } from './cluster.js';
import { APPLICATION_NAME, WAIT } from './data-source.js';

/** The tables of users, in the order of their foreign keys, and the column that each is spread by. */
const SPREAD_BY = {
  users: 'id',
  api_tokens: 'user_id',
  deletions: 'user_id',
  idempotency_keys: 'user_id',
  spaces: 'user_id',
  tags: 'user_id',
  wins: 'user_id',
  win_tags: 'user_id',
};

/** Tables whose rows have ids of their own. */
const WITH_IDS = ['api_tokens', 'spaces', 'tags', 'wins'];

/**
 * How many ids each user has: those of user `n` begin at `n` times this. So ids are unique on all machines, stay in order
 * wherever rows are moved, and are numbers that JSON represents exactly for the first `MAX_USERS` users.
 */
const IDS_OF_USER = 2 ** 26;
const MAX_USERS = 2 ** 53 / IDS_OF_USER;

/** One of the tables, as it is before it is spread. */
export interface TablePlan {
  table: string;
  spread_by: string;
  rows: number;
  bytes: number;
}

/** One of the machines of a cluster. */
export interface ClusterNode {
  node: string;
  is_active: boolean;
  shards: number;
  bytes: number;
}

/**
 * What distributing would do: each table with the rows that it has.
 *
 * @throws StartError if this is no coordinator of a Citus cluster, or the service is running
 */
export async function planDistribution(queryRunner: QueryRunner): Promise<TablePlan[]> {
  const select = <Row>(text: string) => queryRunner.manager.query<Row[]>(text);
  const [extension] = await select(`select from pg_extension where extname = 'citus'`);
  if (extension === undefined) {
    throw new StartError('This database has no Citus. Run "create extension citus" in it on every machine.');
  }
  const [here] = await select<{ groupid: number }>('select groupid from pg_dist_local_group');
  if (here?.groupid !== 0) throw new StartError('Set DATABASE_URL to the coordinator of the cluster.');
  const nodes = await select('select from pg_dist_node where isactive and shouldhaveshards');
  if (nodes.length === 0) throw new StartError('The cluster has no machine for tables. Add one with citus_add_node().');
  await checkUnused(queryRunner);
  const counts = Object.entries(SPREAD_BY).map(
    ([table, column]) => `
    select '${table}' as table, '${column}' as spread_by, (select count(*) from ${table})::float8 as rows,
      pg_total_relation_size('${table}')::float8 as bytes`,
  );
  return select<TablePlan>(counts.join(' union all '));
}

/** @throws StartError if the service is running */
async function checkUnused(queryRunner: QueryRunner): Promise<void> {
  const { length } = await queryRunner.manager.query<unknown[]>(`
    select from pg_stat_activity
    where datname = current_database() and application_name = '${APPLICATION_NAME}' and pid <> pg_backend_pid()`);
  if (length > 0) throw new StartError(`Stop the service first: ${length} of its sessions use the database.`);
}

/**
 * Spreads the tables over the machines of a cluster, with the rows they have, all or nothing. Writers wait meanwhile. Citus
 * can't do it online: it refuses that for tables with foreign keys.
 *
 * @param shards into how many parts; these can be moved between machines later
 * @throws StartError if an instance was started meanwhile
 */
export async function distribute(queryRunner: QueryRunner, shards: number): Promise<void> {
  const prefix = await schemaPrefix(queryRunner);
  await queryRunner.startTransaction('READ COMMITTED');
  try {
    await queryRunner.query('set local statement_timeout = 0; set local lock_timeout = 0');
    // From here on, an instance that starts waits: it has to know whether the tables are spread.
    await queryRunner.query(`lock table ${Object.keys(SPREAD_BY).join(', ')} in access exclusive mode`);
    await checkUnused(queryRunner);
    await queryRunner.query(ALLOW_TRIGGERS);
    await queryRunner.query(WAIT_EVERYWHERE);
    await queryRunner.query(prepareTables(prefix));
    await queryRunner.query(clusterForms(prefix));
    // On every machine, so that the service can use any of them.
    for (const table of ['plans', 'migrations']) await queryRunner.query(`select create_reference_table('${table}')`);
    await queryRunner.query(
      `select create_distributed_table('emails', 'email', colocate_with => 'none', shard_count => ${shards})`,
    );
    for (const [table, column] of Object.entries(SPREAD_BY)) {
      const where = table === 'users' ? `'none', shard_count => ${shards}` : `'users'`;
      await queryRunner.query(`select create_distributed_table('${table}', '${column}', colocate_with => ${where})`);
    }
    await queryRunner.commitTransaction();
  } catch (error) {
    await queryRunner.rollbackTransaction().catch(() => undefined);
    throw error;
  }
}

/** The machines, and what each has. */
export function clusterNodes(dataSource: DataSource): Promise<ClusterNode[]> {
  return dataSource.query<ClusterNode[]>(`
    select concat_ws(':', node.nodename, node.nodeport) as node, node.isactive as is_active,
      count(shard.shardid)::int as shards, coalesce(sum(shard.shard_size), 0)::float8 as bytes
    from pg_dist_node node
    left join citus_shards shard on shard.nodename = node.nodename and shard.nodeport = node.nodeport
    where node.noderole = 'primary' group by node.nodeid, 1, 2 order by node.nodeid`);
}

/** Machines that wait for a lock don't know the settings of the session that has them do so, but those of its role. */
const WAIT_EVERYWHERE = `
  do $$
  begin
    execute format('alter role %I in database %I set lock_timeout = ${WAIT}', current_user, current_database());
  end $$`;

/** What a cluster needs before the tables are spread. @param prefix of the names of tables, such as `public.` */
const prepareTables = (prefix: string) => `
  ${DROP_TRUNCATE_TRIGGERS};

  -- No index can see all machines: who has an email is told by a table that is spread by it.
  drop index uq_users_email;
  create index idx_users_email on users (lower(email));
  create table emails (
    email text not null,
    user_id bigint not null,
    claimed_at timestamptz not null default now(),
    constraint uq_users_email primary key (email)
  );
  insert into emails (email, user_id) select lower(email), id from users;

  alter table users
    add column last_id bigint not null default 0,
    add constraint ck_users_id check (id < ${MAX_USERS});
  update users set last_id = greatest(id * ${IDS_OF_USER}, (select max(id) from (
    ${WITH_IDS.map((table) => `select max(id) as id from ${table}`).join(' union all ')}
  ) ids));
  ${WITH_IDS.map((table) => `alter table ${table} alter column id drop identity, alter column id set default 0;`).join('\n  ')}

  -- A key that rows are spread by can't be part of "on update cascade"; a trigger does the same.
  alter table win_tags drop constraint fk_win_tags_win_id, add constraint fk_win_tags_win_id
    foreign key (user_id, win_id, occurred_on) references wins (user_id, id, occurred_on) on delete cascade;

  ${clusterFunctions(prefix)}
  create trigger trg_users_start_ids before insert on users
    for each row when (new.last_id = 0) execute function start_ids();
  create trigger trg_users_stamp before update of revision on users
    for each row when (new.revision > old.revision) execute function stamp_transaction();
  ${WITH_IDS.map(
    (table) => `
  create trigger "A_${table}_id" before insert on ${table} for each row when (new.id = 0) execute function next_id();`,
  ).join('')}
  create trigger "A_wins_move_links" after update of occurred_on on wins
    for each row when (old.occurred_on is distinct from new.occurred_on) execute function move_links()`;

const clusterFunctions = (prefix: string) => `
  create function start_ids() returns trigger language plpgsql as $$
  begin
    new.last_id := new.id * ${IDS_OF_USER};
    return new;
  end $$;

  -- Each user's row counts the user's ids. Runs first, in the order of the triggers' names.
  create function next_id() returns trigger language plpgsql as $$
  begin
    update ${prefix}users set last_id = last_id + 1 where id = new.user_id returning last_id into new.id;
    new.id := coalesce(new.id, 0);
    return new;
  end $$;

  -- Runs before the foreign keys look, whose triggers are called RI_.
  create function move_links() returns trigger language plpgsql as $$
  begin
    update ${prefix}win_tags set occurred_on = new.occurred_on where user_id = new.user_id and win_id = new.id;
    return null;
  end $$;

  -- Each machine counts its own transactions.
  create function current_transaction() returns bigint language plpgsql stable as $$
  begin
    return pg_current_xact_id()::text::bigint + (select groupid::bigint << 48 from pg_dist_local_group);
  end $$;
  create function stamp_transaction() returns trigger language plpgsql as $$
  begin
    new.changed_in := ${prefix}current_transaction();
    return new;
  end $$;`;

/** A statement without rows runs on many machines at once, where no trigger could keep up with it. */
const DROP_TRUNCATE_TRIGGERS = `
  do $$
  declare
    found record;
  begin
    for found in select tgname, tgrelid::regclass from pg_trigger where not tgisinternal and tgtype & 32 = 32 and tgfoid in (
      'count_wins_of_spaces'::regproc, 'count_wins_of_tags'::regproc, 'count_tags_of_users'::regproc,
      'admit_truncate'::regproc, 'notify_api_tokens_truncate'::regproc, 'forget_revisions'::regproc
    ) loop
      execute format('drop trigger %I on %s', found.tgname, found.tgrelid);
    end loop;
  end $$`;
