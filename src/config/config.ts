import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import { cleanEnv, makeValidator, str } from 'envalid';
import { distance } from 'fastest-levenshtein';
import { normalizeDatabaseUrl } from './database-url.js';
import { StartError } from './start-error.js';

const integer = (min: number, max: number) =>
  makeValidator<number>((input) => {
    if (!/^\d+$/.test(input) || Number(input) < min || Number(input) > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return Number(input);
  });

const oneOf = <Choice extends string>(...choices: Choice[]) =>
  makeValidator<Choice>((input) => {
    const choice = choices.find((known) => known === input);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}, it is "${input}"`);
    return choice;
  });

/** An `http` or `https` URL without credentials and with nothing that is no part of one, such as a line break. */
function httpUrl(input: string, example: string): URL {
  const url = /^https?:\/\/[^\s@\\]+$/i.test(input) && URL.canParse(input) ? new URL(input) : undefined;
  if (url === undefined) throw new Error(`must look like ${example}, without a user or password`);
  return url;
}

const baseUrl = makeValidator<string>((input) => {
  const url = httpUrl(input, 'https://wins.example.com');
  if (/[?#]/.test(input)) throw new Error('must end with the path: it can have no "?" and no "#"');
  return url.href.replace(/\/+$/, '');
});

const linkUrl = makeValidator<string>((input) => httpUrl(input, 'https://wins.example.com/upgrade').href);

const redisUrl = makeValidator<string>((input) => {
  const url = /^rediss?:\/\/[^\s\\]+$/.test(input) && URL.canParse(input) ? new URL(input) : undefined;
  const isWhole = url !== undefined && url.hostname !== '' && url.search === '' && url.hash === '';
  if (!isWhole || !/^(\/\d*)?$/.test(url.pathname) || /%(?![\da-f]{2})/i.test(url.username + url.password))
    throw new Error(
      'must look like redis://user:password@host:6379/0, with escapes such as %25 for special characters',
    );
  return input;
});

const postgresUrl = makeValidator<string>(normalizeDatabaseUrl);

const host = makeValidator<string>((input) => {
  const isName = /^(?=.{1,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)*[a-z]([a-z\d-]{0,61}[a-z\d])?\.?$/i.test(input);
  if (isIP(input) === 0 && !isName)
    throw new Error('must be an address of this machine such as 127.0.0.1, 0.0.0.0 or ::, or a name of it');
  return input;
});

const proxies = makeValidator<string>((input) => {
  for (const item of input.split(',').map((text) => text.trim())) {
    try {
      compile(isIP(item.split('/', 1)[0]!) === 0 ? '' : item); // what it takes beyond addresses is not for here
    } catch (error) {
      throw new Error(`"${item}" is not the address of a proxy, such as 10.0.0.0/8`, { cause: error });
    }
  }
  return input;
});

const origins = makeValidator<string[]>((input) => {
  const list = input.split(',').map((item) => item.trim());
  const wrong = list.find((item) => !/^https?:/.test(item) || !URL.canParse(item) || new URL(item).origin !== item);
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an origin such as https://app.example`);
  return list;
});

const port = integer(1, 65_535);

/** Every setting of the service. README.md lists the same ones, and a test holds the two together. */
export const settings = {
  NODE_ENV: oneOf('development', 'production', 'test')({ default: 'development' }),
  HOST: host({ default: '127.0.0.1' }),
  PORT: port({ default: 3000 }),
  PUBLIC_URL: baseUrl({ default: undefined }),
  UPGRADE_URL: linkUrl({ default: 'https://example.com/upgrade' }),
  DATABASE_URL: postgresUrl({
    default: undefined,
    requiredWhen: (env) => env.NODE_ENV === 'production',
    desc: 'must be set in production, like postgres://user:password@host:5432/database',
  }),
  DATABASE_POOL_SIZE: integer(1, 1000)({ default: 10 }),
  PREPARED_STATEMENTS: oneOf('on', 'off')({ default: 'on' }),
  MIGRATIONS: oneOf('on', 'off')({ default: 'on' }),
  DATA_DIR: str({ default: '.data' }),
  STATEMENT_TIMEOUT: integer(100, 600_000)({ default: 10_000 }),
  RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000)({ default: 300 }),
  REDIS_URL: redisUrl({ default: undefined }),
  TRUST_PROXY: proxies({ default: undefined }),
  SHUTDOWN_DELAY: integer(0, 300_000)({ default: 0 }),
  METRICS_PORT: port({ default: undefined }),
  CORS_ORIGINS: origins({ default: undefined }),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')({ default: 'info' }),
};

/** How long requests in flight may take to end once the process was told to stop, in milliseconds. */
export const SHUTDOWN_GRACE = 10_000;

export type Config = ReturnType<typeof loadConfig>;

/** The injection token of the one `Config`. */
export const CONFIG = Symbol('Config');

/**
 * Reads and checks all settings. An empty variable counts as unset, as compose files write it.
 *
 * @param env where to read; the process's environment, and before it the file `.env`, unless told otherwise
 * @throws StartError naming every faulty setting at once
 */
export function loadConfig(env: NodeJS.ProcessEnv = environment()) {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const config = cleanEnv(present, settings, {
    reporter: ({ errors }) => refuse(Object.entries(errors).map(([name, error]) => `${name}: ${error?.message}`)),
  });
  refuse(config.METRICS_PORT === config.PORT ? ['METRICS_PORT: must be another port than PORT'] : []);
  return { ...config };
}

function refuse(faults: string[]): void {
  if (faults.length > 0) throw new StartError(['The configuration is wrong:', ...faults].join('\n  '));
}

function environment(): NodeJS.ProcessEnv {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new StartError(`The file .env can't be read (${reason}). Mend it, or take it away.`, { cause: error });
  }
  return process.env;
}

/** As many letters may differ for a variable to be taken for a misspelled setting. */
const TYPOS = 2;

/** The variables that are no settings, but look like one that is not set. Short names look like too many others. */
export function misspelledSettings(env: NodeJS.ProcessEnv): { name: string; meant: string }[] {
  const unset = Object.keys(settings).filter((name) => name.length > 2 * TYPOS + 1 && (env[name] ?? '') === '');
  return Object.keys(env).flatMap((name) => {
    const meant = name in settings ? undefined : unset.find((known) => distance(known, name.toUpperCase()) <= TYPOS);
    return meant === undefined ? [] : [{ name, meant }];
  });
}
