import 'reflect-metadata';
import { createInterface } from 'node:readline/promises';
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
import { createDataSource } from '../database/data-source.js';
import { openDatabase, type Database, type Opening } from '../database/database.js';
import { translateDatabaseError } from '../database/errors.js';
import { listMigrations, previewRevert, revert } from '../database/migration-history.js';
import { Sql } from '../database/sql.js';
import { IdPipe } from '../http/id.pipe.js';
import { ALL_REFUSALS } from '../refusals.js';

/** How a command begins, in the container and in a checkout that was built. */
const PROGRAM = 'node dist/cli.js';

/** What `--help` shows below the options. */
const examples = (...lines: string[]) => ['', 'Examples:', ...lines.map((line) => `  ${PROGRAM} ${line}`)].join('\n');

const USAGE_ERROR = 2;

/** Milliseconds in which a database that can't be reached may come back. */
const DATABASE_PATIENCE = 5_000;

/** Milliseconds after which, and from then on, a command that is still at work says so. */
const STILL_AT_WORK = 5_000;

/** The operator's commands. Results go to standard output, everything else to standard error. */
const program = new Command(PROGRAM)
  .description("The operator's commands of the wins service. They work beside a running one.")
  .showHelpAfterError('Add --help to see what there is.')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_ERROR))
  .addHelpText(
    'after',
    `
Every command tells of itself with --help, such as: ${PROGRAM} token create --help
Settings are those of the service, above all DATABASE_URL.

Exit codes:
  0  it is done
  1  it was refused or failed; standard error says why
  2  there is no such command or option, or a value is missing or wrong`,
  );

const email = () => new Option('--email <email>', 'the email of the user').makeOptionMandatory();
const plan = () => new Option('--plan <plan>', 'what the user may use').choices(['free', 'pro']);
const json = () => new Option('--json', 'print JSON, with the names and times of the API');
const yes = () => new Option('--yes', 'do not ask');

interface Output {
  json?: true;
}

const user = program
  .command('user')
  .description('the people who use the service')
  .addHelpText('after', examples('user create --email ann@example.com --plan pro', 'user list'));

user
  .command('create')
  .description('make a user')
  .addOption(email().argParser(parseEmail))
  .addOption(plan().default('free'))
  .addOption(json())
  .addHelpText(
    'after',
    examples('user create --email ann@example.com', 'user create --email ann@example.com --plan pro'),
  )
  .action((options: Output & { email: string; plan: string }) =>
    withAuth(async (auth) => {
      const made = await auth.createUser(options.email, options.plan);
      if (options.json) printJson(userRow(made));
      else
        console.log(
          `User ${made.id} (${made.email}, ${made.plan}) was made. Next: ${PROGRAM} token create --email ${made.email}`,
        );
    }),
  );

user
  .command('list')
  .description('show all users')
  .addOption(json())
  .addHelpText('after', examples('user list', 'user list --json'))
  .action((options: Output) => withAuth(async (auth) => printRows((await auth.listUsers()).map(userRow), options)));

user
  .command('set-plan')
  .description('change what a user may use; a lower plan takes nothing away')
  .addOption(email())
  .addOption(plan().makeOptionMandatory())
  .addOption(json())
  .addHelpText('after', examples('user set-plan --email ann@example.com --plan pro'))
  .action((options: Output & { email: string; plan: string }) =>
    withAuth(async (auth) => {
      await auth.setPlan(options.email, options.plan);
      if (options.json) printJson(userRow(await auth.getUser(options.email)));
      else console.log(`${options.email} now has the plan ${options.plan}.`);
    }),
  );

user
  .command('delete')
  .description('delete a user with all tokens, spaces, tags and wins')
  .addOption(email())
  .addOption(yes())
  .addHelpText('after', examples('user delete --email ann@example.com', 'user delete --email ann@example.com --yes'))
  .action((options: { email: string; yes?: true }) =>
    withAuth(async (auth) => {
      const { email: name } = await auth.getUser(options.email);
      await confirm(`Delete ${name} with all tokens, spaces, tags and wins?`, options.yes);
      await tellWhileAtWork(`Still deleting ${name}.`, auth.deleteUser(options.email));
      console.log(`${name} is gone.`);
    }),
  );

const token = program
  .command('token')
  .description('API tokens')
  .addHelpText('after', examples('token create --email ann@example.com', 'token list --email ann@example.com'));

token
  .command('create')
  .description('make a token and print it, and nothing else, on standard output; it is shown this once')
  .addOption(email())
  .option('--name <name>', 'what it is for', parseName, 'Made by the operator')
  .addOption(
    new Option('--scope <scope>', 'what it allows; read may only GET and HEAD').choices(SCOPES).default('write'),
  )
  .option('--expires-in <duration>', 'how long it lasts, such as 90d or 12h; for ever if left out', parseExpiry)
  .addOption(json())
  .addHelpText(
    'after',
    examples(
      'token create --email ann@example.com',
      "token create --email ann@example.com --name 'A script' --scope read --expires-in 90d",
    ),
  )
  .action((options: Output & { email: string; name: string; scope: Scope; expiresIn?: number }) =>
    withAuth(async (auth) => {
      const { name, scope, expiresIn } = options;
      const expiresAt = expiresIn === undefined ? null : new Date(Date.now() + expiresIn);
      const { id } = await auth.getUser(options.email);
      const { created, token: secret } = await auth.issueToken(id, { name, scope, expiresAt });
      if (options.json) printJson({ ...JSON.parse(created.text), token: secret });
      else console.log(secret);
    }),
  );

token
  .command('list')
  .description("show a user's tokens, without their secrets")
  .addOption(email())
  .addOption(json())
  .addHelpText('after', examples('token list --email ann@example.com', 'token list --email ann@example.com --json'))
  .action((options: Output & { email: string }) =>
    withAuth(async (auth) => {
      const { id } = await auth.getUser(options.email);
      printRows((await auth.allTokens(id)).map(tokenRow), options);
    }),
  );

token
  .command('revoke')
  .description('end a token; every instance refuses it within a second')
  .addOption(email())
  .requiredOption('--id <id>', 'the id that "token list" shows', parseId)
  .addOption(yes())
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
      await auth.revokeToken(id, options.id);
      console.log(`Token ${options.id} is revoked.`);
    }),
  );

program
  .command('demo')
  .description(
    'fill an account with a few months of example wins in three spaces; one that has a win, a space or a tag already is left as it is',
  )
  .addOption(email())
  .addHelpText('after', examples('demo --email ann@example.com'))
  .action((options: { email: string }) =>
    withAuth(async (auth, sql) => {
      const { fillWithDemo } = await import('../demo/fill.js'); // loads much that no other command needs
      const { id } = await auth.getUser(options.email);
      const count = await fillWithDemo(sql, id);
      console.log(
        count > 0 ? `${options.email} now has ${count} wins.` : `${options.email} is not empty and stays as it is.`,
      );
    }),
  );

const migration = program
  .command('migration')
  .description('the database schema')
  .addHelpText('after', examples('migration run', 'migration list', 'migration revert'));

migration
  .command('run')
  .description('bring the schema up to date; safe beside running instances and other runs of this command')
  .addHelpText('after', examples('migration run'))
  .action(() => withDatabase(async () => console.log('The schema is up to date.'), { migrations: 'on' }));

migration
  .command('list')
  .description('show which migrations the database has: done, pending, or unknown to this version')
  .addOption(json())
  .addHelpText('after', examples('migration list', 'migration list --json'))
  .action((options: Output) =>
    withDatabase(async ({ dataSource }) => printRows(await listMigrations(dataSource), options), {
      migrations: 'ignored',
    }),
  );

migration
  .command('revert')
  .description('take the last migration back, with all data that only it has room for; stop the service first')
  .addOption(yes())
  .addHelpText('after', examples('migration revert', 'migration revert --yes'))
  .action((options: { yes?: true }) =>
    withDatabase(
      async ({ dataSource }) => {
        const { name, losses } = await previewRevert(dataSource);
        console.error(`Reverting ${name} drops ${losses.join(', ') || 'no table and no column'}.`);
        await confirm(`Revert ${name}?`, options.yes);
        await revert(dataSource, name);
        console.log(`${name} is reverted.`);
      },
      { migrations: 'ignored' },
    ),
  );

program
  .command('openapi')
  .description('print the OpenAPI document; needs no database')
  .addHelpText('after', examples('openapi > openapi.json'))
  .action(async () => {
    // The HTTP stack takes longer to load than all the rest, and no other command needs it.
    const { createApp } = await import('../app.setup.js');
    const { createLogger } = await import('../config/logger.js');
    const { createDocument } = await import('../docs/openapi.js');
    const config = { ...loadConfig(), REDIS_URL: undefined, METRICS_PORT: undefined };
    const nowhere = createDataSource('postgres://127.0.0.1:1', config);
    const app = await createApp(config, nowhere, await createLogger({ ...config, LOG_LEVEL: 'error' }, 2));
    console.log(JSON.stringify(createDocument(app), null, 2));
    await app.close();
  });

/** Runs the command that the process was started with. */
export async function main(): Promise<void> {
  lifetime.codeOf = codeOfSignal;
  process.stdout.on('error', () => void lifetime.end(0)); // who reads, such as head, has enough
  await program.parseAsync();
}

/**
 * Runs an action on the database of the configuration, beside a running server or not. Unless told otherwise it is
 * refused where the schema is older than this program; the commands never bring it up to date on the way.
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

/** Says in a line what was refused, or what kept the database from doing it. */
function explain(error: unknown): unknown {
  const known = error instanceof ServiceError ? error : translateDatabaseError(error, ALL_REFUSALS);
  if (known === undefined) return error;
  if (known instanceof UnavailableError && error instanceof Error) {
    return new StartError(`The database can't do it now: ${error.message}. Try again.`);
  }
  return new StartError(known.details?.map(({ message }) => message).join('\n') ?? known.message);
}

/** Says now and then that something which takes long goes on. */
async function tellWhileAtWork(line: string, work: Promise<void>): Promise<void> {
  const telling = setInterval(() => console.error(line), STILL_AT_WORK);
  await work.finally(() => clearInterval(telling));
}

function withAuth(action: (auth: AuthService, sql: Sql) => Promise<void>): Promise<void> {
  return withDatabase(({ dataSource }) => {
    const sql = new Sql(dataSource);
    return action(new AuthService(new UsersRepository(sql), new TokensRepository(sql)), sql);
  });
}

function userRow(of: UserSummary) {
  return { id: of.id, plan: of.plan, created_at: of.createdAt, email: of.email };
}

function tokenRow({ id, name, scope, expiresAt, createdAt }: TokenSummary) {
  return { id, scope, expires_at: expiresAt, created_at: createdAt, name };
}

function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

function printRows(rows: object[], options: Output): void {
  if (options.json) printJson(rows);
  else if (rows.length === 0) console.log('None.');
  else console.log(formatTable(rows));
}

/**
 * A line for each row below a line of names. What people write freely belongs in the last column: how wide a terminal
 * shows it is not known.
 */
function formatTable(rows: object[]): string {
  const lines = [
    Object.keys(rows[0]!).map((name) => name.toUpperCase()),
    ...rows.map((row) => Object.values(row).map(formatCell)),
  ];
  const widths = lines.reduce<number[]>(
    (known, cells) => cells.map((cell, n) => Math.max(cell.length, known[n] ?? 0)),
    [],
  );
  return lines
    .map((cells) =>
      cells
        .map((cell, n) => cell.padEnd(widths[n]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function formatCell(value: unknown): string {
  if (value === null) return 'never';
  return value instanceof Date ? value.toISOString().replace(/\.\d+/, '') : String(value);
}

/** @throws StartError unless the answer is yes; where nobody can be asked, only `--yes` counts */
async function confirm(question: string, isConfirmed = false): Promise<void> {
  if (isConfirmed) return;
  if (!process.stdin.isTTY) throw new StartError('This needs a confirmation: add --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} (y/N) `).catch(() => ''); // Ctrl-C and Ctrl-D are answers too
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new StartError('Nothing was done.');
}

/** What moves a terminal's cursor or colours its text would do so in each list. */
function parseEmail(text: string): string {
  if (forbiddenInName(text) !== undefined) throw new InvalidArgumentError('It must not have control characters.');
  return text;
}

function parseId(text: string): number {
  const id = new IdPipe().transform(text);
  if (id === 0) throw new InvalidArgumentError('It must be a number that "token list" shows.');
  return id;
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
