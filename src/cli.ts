import 'reflect-metadata';
import { createInterface } from 'node:readline/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import ms, { type StringValue } from 'ms';
import { MAX_TOKEN_NAME, SCOPES, type Scope } from './auth/api-token.entity.js';
import { AuthService } from './auth/auth.service.js';
import { TokensRepository } from './auth/tokens.repository.js';
import { UsersRepository } from './auth/users.repository.js';
import { ServiceError } from './common/errors.js';
import { IdPipe } from './common/id.pipe.js';
import { codePoints, hasForbiddenCharacter, isBlank, LAST_TIME, normalizeName } from './common/text.js';
import { loadConfig } from './config/config.js';
import { runOrExit, StartError } from './config/start-error.js';
import { openDatabase, type Database } from './database/database.js';
import { Sql } from './database/sql.js';
import { translateDatabaseError } from './database/errors.js';

/** The operator's commands. Results go to standard output, everything else to standard error. */
const program = new Command('wins').description("The operator's commands of the wins service").showHelpAfterError();

const email = () => new Option('--email <email>', 'the email of the user').makeOptionMandatory();
const plan = () => new Option('--plan <plan>', 'what the user may use').choices(['free', 'pro']);
const json = () => new Option('--json', 'print JSON instead of a table');
const yes = () => new Option('--yes', 'do not ask');

const user = program.command('user').description('the people who use the service');

user
  .command('create')
  .description('make a user')
  .addOption(email())
  .addOption(plan().default('free'))
  .action((options: { email: string; plan: string }) =>
    withAuth(async (auth) => {
      const { id } = await auth.createUser(options.email, options.plan);
      console.log(
        `User ${id} (${options.email}, ${options.plan}) was made. Next: token create --email ${options.email}`,
      );
    }),
  );

user
  .command('list')
  .description('show all users')
  .addOption(json())
  .action((options: { json?: true }) => withAuth(async (auth) => print(await auth.listUsers(), options)));

user
  .command('set-plan')
  .description('change what a user may use; a lower plan takes nothing away')
  .addOption(email())
  .addOption(plan().makeOptionMandatory())
  .action((options: { email: string; plan: string }) =>
    withAuth(async (auth) => {
      await auth.setPlan(options.email, options.plan);
      console.log(`${options.email} now has the plan ${options.plan}.`);
    }),
  );

user
  .command('delete')
  .description('delete a user with all tokens, spaces, tags and wins')
  .addOption(email())
  .addOption(yes())
  .action((options: { email: string; yes?: true }) =>
    withAuth(async (auth) => {
      await confirm(`Delete ${options.email} and everything of theirs?`, options.yes);
      await auth.deleteUser(options.email);
      console.log(`${options.email} is gone.`);
    }),
  );

const token = program.command('token').description('API tokens');

token
  .command('create')
  .description('make a token and print it, and nothing else, on standard output; it is shown this once')
  .addOption(email())
  .option('--name <name>', 'what it is for', parseName, 'Made by the operator')
  .addOption(
    new Option('--scope <scope>', 'what it allows; read may only GET and HEAD').choices(SCOPES).default('write'),
  )
  .option('--expires-in <duration>', 'how long it lasts, such as 90d or 12h; for ever if left out', parseDuration)
  .action((options: { email: string; name: string; scope: Scope; expiresIn?: number }) =>
    withAuth(async (auth) => {
      const { name, scope, expiresIn } = options;
      const expiresAt = expiresIn === undefined ? null : new Date(Date.now() + expiresIn);
      const { id } = await auth.getUser(options.email);
      console.log((await auth.issueToken(id, { name, scope, expiresAt })).token);
    }),
  );

token
  .command('list')
  .description("show a user's tokens, without their secrets")
  .addOption(email())
  .addOption(json())
  .action((options: { email: string; json?: true }) =>
    withAuth(async (auth) => print(await auth.allTokens((await auth.getUser(options.email)).id), options)),
  );

token
  .command('revoke')
  .description('end a token; every instance refuses it within a second')
  .addOption(email())
  .requiredOption('--id <id>', 'the id that "token list" shows', parseId)
  .addOption(yes())
  .action((options: { email: string; id: number; yes?: true }) =>
    withAuth(async (auth) => {
      const { id } = await auth.getUser(options.email);
      await confirm(`Revoke token ${options.id} of ${options.email}?`, options.yes);
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
  .action((options: { email: string }) =>
    withAuth(async (auth, sql) => {
      const { fillWithDemo } = await import('./demo/fill.js'); // loads much that no other command needs
      const { id } = await auth.getUser(options.email);
      const count = await fillWithDemo(sql, id);
      console.log(
        count > 0 ? `${options.email} now has ${count} wins.` : `${options.email} is not empty and stays as it is.`,
      );
    }),
  );

program
  .command('migration')
  .description('the database schema')
  .command('run')
  .description('bring the schema up to date; safe beside running instances and other runs of this command')
  .action(() => withDatabase(async () => console.log('The schema is up to date.'), { MIGRATIONS: 'on' }));

program
  .command('openapi')
  .description('print the OpenAPI document')
  .action(() =>
    withDatabase(async ({ dataSource }) => {
      // The HTTP stack takes longer to load than all the rest, and no other command needs it.
      const { createApp } = await import('./app.setup.js');
      const { createLogger } = await import('./config/logger.js');
      const { createDocument } = await import('./docs/openapi.js');
      const config = loadConfig();
      const app = await createApp(config, dataSource, await createLogger({ ...config, LOG_LEVEL: 'error' }, 2));
      console.log(JSON.stringify(createDocument(app), null, 2));
      await app.close();
    }),
  );

await runOrExit(() => program.parseAsync());

/** Runs an action on the database of the configuration, beside a running server or not. */
async function withDatabase(action: (database: Database) => Promise<void>, settings = {}): Promise<void> {
  const database = await openDatabase({ ...loadConfig(), ...settings });
  try {
    await action(database);
  } catch (error) {
    const known = error instanceof ServiceError ? error : translateDatabaseError(error);
    throw known === undefined
      ? error
      : new StartError([known.message, ...(known.details ?? []).map((fault) => `  ${fault.message}`)].join('\n'));
  } finally {
    await database.close();
  }
}

function withAuth(action: (auth: AuthService, sql: Sql) => Promise<void>): Promise<void> {
  return withDatabase(({ dataSource }) => {
    const sql = new Sql(dataSource);
    return action(new AuthService(new UsersRepository(sql), new TokensRepository(sql)), sql);
  });
}

function print(rows: object[], options: { json?: true }): void {
  if (options.json) console.log(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) console.log('None.');
  else console.table(rows);
}

/** @throws StartError unless the answer is yes; where nobody can be asked, only `--yes` counts */
async function confirm(question: string, isConfirmed = false): Promise<void> {
  if (isConfirmed) return;
  if (!process.stdin.isTTY) throw new StartError('This needs a confirmation: add --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} (y/N) `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer)) throw new StartError('Nothing was done.');
}

function parseId(text: string): number {
  const id = new IdPipe().transform(text);
  if (id === 0) throw new InvalidArgumentError('It must be a number that "token list" shows.');
  return id;
}

function parseDuration(text: string): number {
  const duration = /^[\d.]+ *[a-z]+$/i.test(text) ? ms(text as StringValue) : NaN;
  if (!(duration > 0 && Date.now() + duration <= LAST_TIME)) {
    throw new InvalidArgumentError('It must be a duration such as 90d or 12h.');
  }
  return duration;
}

function parseName(text: string): string {
  const name = normalizeName(text);
  if (isBlank(name) || codePoints(name) > MAX_TOKEN_NAME || hasForbiddenCharacter(name)) {
    throw new InvalidArgumentError(`It must have 1 to ${MAX_TOKEN_NAME} visible characters.`);
  }
  return name;
}
