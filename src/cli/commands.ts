import 'reflect-metadata';
import { Command, InvalidArgumentError, Option } from 'commander';
import { AuthService } from '../auth/auth.service.js';
import { MAX_TOKEN_NAME } from '../auth/limits.js';
import { TokensRepository, type TokenSummary } from '../auth/tokens.repository.js';
import { UsersRepository, type UserSummary } from '../auth/users.repository.js';
import { SCOPES, type Scope } from '../common/caller.js';
import { found, ServiceError, UnavailableError } from '../common/errors.js';
import { forbiddenInName, isBlank, isLonger, LAST_TIME, normalizeName } from '../common/text.js';
import { loadConfig } from '../config/config.js';
import { parseDuration } from '../config/duration.js';
import { codeOfSignal, lifetime, unlessAborted } from '../config/lifetime.js';
import { StartError } from '../config/start-error.js';
import { isSpread } from '../database/cluster.js';
import { createDataSource } from '../database/data-source.js';
import { openDatabase, type Database, type Opening } from '../database/database.js';
import { clusterNodes, distribute, planDistribution } from '../database/distribute.js';
import { translateDatabaseError } from '../database/errors.js';
import { listMigrations, previewRevert, revert } from '../database/migration-history.js';
import { Sql } from '../database/sql.js';
import { IdPipe } from '../http/id.pipe.js';
import { ALL_REFUSALS } from '../refusals.js';
import { confirm, printJson, printRows, showProgress } from './output.js';

/** How to call this program, in the container and in a built checkout. */
const PROGRAM = 'node dist/cli.js';

/** The examples that `--help` shows below the options. */
const examples = (...lines: string[]) => ['', 'Examples:', ...lines.map((line) => `  ${PROGRAM} ${line}`)].join('\n');

const USAGE_ERROR = 2;

/** Milliseconds to keep trying to reach the database. */
const DATABASE_PATIENCE = 5_000;

/** Results go to standard output, everything else to standard error. */
const program = new Command(PROGRAM)
  .description('Operator commands for the wins service. They can run while the service is running.')
  .showHelpAfterError('Add --help for details.')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_ERROR))
  .addHelpText(
    'after',
    `
Run any command with --help for details, such as: ${PROGRAM} token create --help
The commands read the same settings as the service, above all DATABASE_URL.

Exit codes:
  0  success
  1  failure; standard error says why
  2  usage error: unknown command or option, or a missing or invalid value`,
  );

const emailOption = () => new Option('--email <email>', "the user's email address").makeOptionMandatory();
const planOption = () => new Option('--plan <plan>', "the user's plan").choices(['free', 'pro']);
const jsonOption = () => new Option('--json', 'print JSON with the same field names and time format as the API');
const yesOption = () => new Option('--yes', 'skip the confirmation');

interface JsonOption {
  json?: true;
}

const user = program
  .command('user')
  .description('users of the service')
  .addHelpText('after', examples('user create --email ann@example.com --plan pro', 'user list'));

user
  .command('create')
  .description('create a user')
  .addOption(emailOption().argParser(parseEmail))
  .addOption(planOption().default('free'))
  .addOption(jsonOption())
  .addHelpText(
    'after',
    examples('user create --email ann@example.com', 'user create --email ann@example.com --plan pro'),
  )
  .action((options: JsonOption & { email: string; plan: string }) =>
    withAuth(async (auth) => {
      const created = await auth.createUser(options.email, options.plan);
      if (options.json) return printJson(userRow(created));
      const { id, email, plan } = created;
      console.log(`Created user ${id} (${email}, ${plan}). Next: ${PROGRAM} token create --email ${email}`);
    }),
  );

user
  .command('list')
  .description('list all users')
  .addOption(jsonOption())
  .addHelpText('after', examples('user list', 'user list --json'))
  .action((options: JsonOption) => withAuth(async (auth) => printRows((await auth.listUsers()).map(userRow), options)));

user
  .command('set-plan')
  .description("change a user's plan; downgrading deletes nothing")
  .addOption(emailOption())
  .addOption(planOption().makeOptionMandatory())
  .addOption(jsonOption())
  .addHelpText('after', examples('user set-plan --email ann@example.com --plan pro'))
  .action((options: JsonOption & { email: string; plan: string }) =>
    withAuth(async (auth) => {
      await auth.setPlan(options.email, options.plan);
      if (options.json) printJson(userRow(await auth.getUser(options.email)));
      else console.log(`Changed the plan of ${options.email} to ${options.plan}.`);
    }),
  );

user
  .command('delete')
  .description('delete a user and all their tokens, spaces, tags and wins')
  .addOption(emailOption())
  .addOption(yesOption())
  .addHelpText('after', examples('user delete --email ann@example.com', 'user delete --email ann@example.com --yes'))
  .action((options: { email: string; yes?: true }) =>
    withAuth(async (auth) => {
      const { email } = await auth.getUser(options.email);
      await confirm(`Delete user ${email} and all their tokens, spaces, tags and wins?`, options.yes);
      await showProgress(`Still deleting user ${email}.`, auth.deleteUser(email));
      console.log(`Deleted user ${email}.`);
    }),
  );

const token = program
  .command('token')
  .description('API tokens')
  .addHelpText('after', examples('token create --email ann@example.com', 'token list --email ann@example.com'));

token
  .command('create')
  .description('create a token and print only the token to standard output; it is never shown again')
  .addOption(emailOption())
  .option('--name <name>', 'what the token is for', parseName, 'Created by the operator')
  .addOption(
    new Option('--scope <scope>', 'what the token allows; read means GET and HEAD only')
      .choices(SCOPES)
      .default('write'),
  )
  .option('--expires-in <duration>', 'how long the token is valid, such as 90d or 12h; forever if omitted', parseExpiry)
  .addOption(jsonOption())
  .addHelpText(
    'after',
    examples(
      'token create --email ann@example.com',
      "token create --email ann@example.com --name 'A script' --scope read --expires-in 90d",
    ),
  )
  .action((options: JsonOption & { email: string; name: string; scope: Scope; expiresIn?: number }) =>
    withAuth(async (auth) => {
      const { name, scope, expiresIn } = options;
      const expiresAt = expiresIn === undefined ? null : new Date(Date.now() + expiresIn);
      const { id } = await auth.getUser(options.email);
      const { created, token: secret } = await auth.issueToken({ userId: id }, { name, scope, expiresAt });
      if (options.json) printJson({ ...JSON.parse(created.text), token: secret });
      else console.log(secret);
    }),
  );

token
  .command('list')
  .description("list a user's tokens, without their secrets")
  .addOption(emailOption())
  .addOption(jsonOption())
  .addHelpText('after', examples('token list --email ann@example.com', 'token list --email ann@example.com --json'))
  .action((options: JsonOption & { email: string }) =>
    withAuth(async (auth) => {
      const { id } = await auth.getUser(options.email);
      printRows((await auth.allTokens(id)).map(tokenRow), options);
    }),
  );

token
  .command('revoke')
  .description('revoke a token; every instance rejects it within a second')
  .addOption(emailOption())
  .requiredOption('--id <id>', 'the id, as shown by "token list"', parseId)
  .addOption(yesOption())
  .addHelpText('after', examples('token revoke --email ann@example.com --id 7'))
  .action((options: { email: string; id: number; yes?: true }) =>
    withAuth(async (auth) => {
      const { id } = await auth.getUser(options.email);
      const tokens = await auth.allTokens(id);
      const { name } = found(
        'Token',
        tokens.find((known) => known.id === options.id),
      );
      await confirm(`Revoke token ${options.id} (${name}) of ${options.email}?`, options.yes);
      await auth.revokeToken({ userId: id }, options.id);
      console.log(`Revoked token ${options.id}.`);
    }),
  );

program
  .command('demo')
  .description(
    'fill an account with a few months of example wins in three spaces, unless it already has a win, space or tag',
  )
  .addOption(emailOption())
  .addHelpText('after', examples('demo --email ann@example.com'))
  .action((options: { email: string }) =>
    withAuth(async (auth, sql) => {
      const { fillWithDemo } = await import('../demo/fill.js'); // slow to load, and no other command needs it
      const { id } = await auth.getUser(options.email);
      const count = await fillWithDemo(sql, id);
      console.log(
        count > 0
          ? `Created ${count} wins for ${options.email}.`
          : `Created nothing: ${options.email} already has a win, space or tag.`,
      );
    }),
  );

const migration = program
  .command('migration')
  .description('the database schema')
  .addHelpText('after', examples('migration run', 'migration list', 'migration revert'));

migration
  .command('run')
  .description('run pending migrations; safe while instances or other migrations are running')
  .addHelpText('after', examples('migration run'))
  .action(() => withDatabase(async () => console.log('The schema is up to date.'), { migrations: 'on' }));

migration
  .command('list')
  .description('list migrations: done, pending, or unknown to this version')
  .addOption(jsonOption())
  .addHelpText('after', examples('migration list', 'migration list --json'))
  .action((options: JsonOption) =>
    withDatabase(async ({ dataSource }) => printRows(await listMigrations(dataSource), options), {
      migrations: 'ignored',
    }),
  );

migration
  .command('revert')
  .description('revert the last migration and drop the tables and columns it added; stop the service first')
  .addOption(yesOption())
  .addHelpText('after', examples('migration revert', 'migration revert --yes'))
  .action((options: { yes?: true }) =>
    withDatabase(
      async ({ dataSource }) => {
        const { name, losses } = await previewRevert(dataSource);
        console.error(`Reverting ${name} drops ${losses.join(', ') || 'no table and no column'}.`);
        await confirm(`Revert ${name}?`, options.yes);
        await revert(dataSource, name);
        console.log(`Reverted ${name}.`);
      },
      { migrations: 'ignored' },
    ),
  );

const cluster = program
  .command('cluster')
  .description('tables that are spread over the machines of a Citus cluster')
  .addHelpText('after', examples('cluster distribute', 'cluster status'));

cluster
  .command('distribute')
  .description('spread the tables over the machines, with the rows they have; stop the service first')
  .addOption(new Option('--shards <number>', 'into how many parts').default(32).argParser(parseShards))
  .addOption(yesOption())
  .addHelpText('after', examples('cluster distribute', 'cluster distribute --shards 128 --yes'))
  .action((options: { shards: number; yes?: true }) =>
    withDatabase(async ({ dataSource }) => {
      if (isSpread(dataSource)) return console.log('The tables are spread already.');
      const queryRunner = dataSource.createQueryRunner();
      try {
        const plan = await planDistribution(queryRunner);
        for (const { table, rows, bytes, spread_by } of plan) {
          console.error(`${table}: ${rows} rows, ${bytes} bytes, by ${spread_by}`);
        }
        console.error(`Nobody can write meanwhile, and it can't be undone.`);
        await confirm(`Spread these tables in ${options.shards} parts?`, options.yes);
        await showProgress('Still spreading the tables.', distribute(queryRunner, options.shards));
        console.log('The tables are spread. Start the service.');
      } finally {
        await queryRunner.release();
      }
    }),
  );

cluster
  .command('status')
  .description('show the machines of the cluster, and what each has')
  .addOption(jsonOption())
  .addHelpText('after', examples('cluster status', 'cluster status --json'))
  .action((options: JsonOption) =>
    withDatabase(async ({ dataSource }) => {
      if (!isSpread(dataSource)) throw new StartError(`The tables are not spread. Run: ${PROGRAM} cluster distribute`);
      printRows(await clusterNodes(dataSource), options);
    }),
  );

program
  .command('openapi')
  .description('print the OpenAPI document; no database needed')
  .addHelpText('after', examples('openapi > openapi.json'))
  .action(async () => {
    // The HTTP stack is slow to load, and no other command needs it.
    const { createApp } = await import('../app.setup.js');
    const { createLogger } = await import('../config/logger.js');
    const { createDocument } = await import('../docs/openapi.js');
    const DATABASE_URL = 'postgres://127.0.0.1:1'; // nobody connects to it
    const config = { ...loadConfig({ ...process.env, DATABASE_URL }), REDIS_URL: undefined, METRICS_PORT: undefined };
    const unconnected = createDataSource(DATABASE_URL, config);
    const app = await createApp(config, unconnected, await createLogger({ ...config, LOG_LEVEL: 'error' }, 2));
    console.log(JSON.stringify(createDocument(app), null, 2));
    await app.close();
  });

export async function main(): Promise<void> {
  lifetime.codeOf = codeOfSignal;
  process.stdout.on('error', () => void lifetime.end(0)); // the reader, such as head, has closed the pipe
  await program.parseAsync();
}

/**
 * Opens the configured database for one action. By default the commands don't run migrations: they fail if any are
 * pending.
 */
async function withDatabase(action: (database: Database) => Promise<void>, opening: Opening = {}): Promise<void> {
  const { signal } = lifetime;
  const database = await openDatabase(loadConfig(), {
    migrations: 'off',
    patience: DATABASE_PATIENCE,
    signal,
    ...opening,
  });
  lifetime.onEnd((isForced) => database.close(isForced));
  try {
    await unlessAborted(action(database), signal);
  } catch (error) {
    throw signal.aborted ? error : explain(error);
  } finally {
    await database.close(signal.aborted);
  }
}

/** Turns an error with a known cause into one line; any other error is returned as it is, and shown with its stack. */
function explain(error: unknown): unknown {
  const known = error instanceof ServiceError ? error : translateDatabaseError(error, ALL_REFUSALS);
  if (known === undefined) return error;
  if (known instanceof UnavailableError && error instanceof Error) {
    return new StartError(`The database failed: ${error.message}. Try again.`);
  }
  return new StartError(known.details?.map(({ field, message }) => `${field}: ${message}`).join('\n') ?? known.message);
}

function withAuth(action: (auth: AuthService, sql: Sql) => Promise<void>): Promise<void> {
  return withDatabase(({ dataSource }) => {
    const sql = new Sql(dataSource);
    return action(new AuthService(new UsersRepository(sql), new TokensRepository(sql)), sql);
  });
}

function userRow({ id, plan, createdAt, email }: UserSummary) {
  return { id, plan, created_at: createdAt, email };
}

function tokenRow({ id, name, scope, expiresAt, createdAt }: TokenSummary) {
  return { id, scope, expires_at: expiresAt, created_at: createdAt, name };
}

/** Rejects control characters: in lists they would move the terminal's cursor or colour its text. */
function parseEmail(text: string): string {
  if (forbiddenInName(text) !== undefined) throw new InvalidArgumentError('It must not contain control characters.');
  return text;
}

function parseId(text: string): number {
  const id = new IdPipe().transform(text);
  if (id === 0) throw new InvalidArgumentError('It must be a number, as shown by "token list".');
  return id;
}

function parseShards(text: string): number {
  const shards = Number(text);
  if (!Number.isInteger(shards) || shards < 1 || shards > 1024) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 1024.');
  }
  return shards;
}

function parseExpiry(text: string): number {
  const duration = parseDuration(text);
  if (Number.isNaN(duration) || Date.now() + duration > LAST_TIME) {
    throw new InvalidArgumentError('It must be a duration such as 90d or 12h: a number and one of s, m, h, d, w, y.');
  }
  return duration;
}

function parseName(text: string): string {
  const name = normalizeName(text, MAX_TOKEN_NAME);
  if (isBlank(name) || isLonger(name, MAX_TOKEN_NAME) || forbiddenInName(name) !== undefined) {
    throw new InvalidArgumentError(`It must have 1 to ${MAX_TOKEN_NAME} visible characters.`);
  }
  return name;
}
