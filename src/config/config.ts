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
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}, not "${input}"`);
    return choice;
  });

/** Parses an `http` or `https` URL. `new URL()` alone would accept credentials, and drop line breaks. */
function httpUrl(input: string, example: string): URL {
  const url = /^https?:\/\/[^\s@\\]+$/i.test(input) && URL.canParse(input) ? new URL(input) : undefined;
  if (url === undefined) throw new Error(`must look like ${example}, without a user or password`);
  return url;
}

const baseUrl = makeValidator<string>((input) => {
  const url = httpUrl(input, 'https://wins.example.com');
  if (/[?#]/.test(input)) throw new Error('must not contain "?" or "#"');
  return url.href.replace(/\/+$/, '');
});

const linkUrl = makeValidator<string>((input) => httpUrl(input, 'https://wins.example.com/upgrade').href);

const redisUrl = makeValidator<string>((input) => {
  const url = /^rediss?:\/\/[^\s\\]+$/.test(input) && URL.canParse(input) ? new URL(input) : undefined;
  const isValid = url !== undefined && url.hostname !== '' && url.search === '' && url.hash === '';
  if (!isValid || !/^(\/\d*)?$/.test(url.pathname) || /%(?![\da-f]{2})/i.test(url.username + url.password))
    throw new Error(
      'must look like redis://user:password@host:6379/0, with escapes such as %25 for special characters',
    );
  return input;
});

const postgresUrl = makeValidator<string>(normalizeDatabaseUrl);

const host = makeValidator<string>((input) => {
  const isName = /^(?=.{1,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)*[a-z]([a-z\d-]{0,61}[a-z\d])?\.?$/i.test(input);
  if (isIP(input) === 0 && !isName)
    throw new Error('must be an IP address of this machine such as 127.0.0.1, 0.0.0.0 or ::, or a host name');
  return input;
});

const proxies = makeValidator<string>((input) => {
  for (const item of input.split(',').map((text) => text.trim())) {
    try {
      compile(isIP(item.split('/', 1)[0]!) === 0 ? '' : item); // compile() also accepts names such as "loopback"
    } catch (error) {
      throw new Error(`"${item}" is not an IP address or range such as 10.0.0.0/8`, { cause: error });
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

/** Every setting of the service. Tests compare them with docs/configuration.md, .env.example and compose.yaml. */
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
  DATABASE_REPLICA_URL: postgresUrl({ default: undefined }),
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

/** Milliseconds that requests in flight get to finish on shutdown. */
export const SHUTDOWN_GRACE = 10_000;

export type Config = ReturnType<typeof loadConfig>;

/** The injection token of the `Config`. */
export const CONFIG = Symbol('Config');

/**
 * Reads and validates all settings. An empty variable counts as unset: that is how compose files pass an unset one on.
 *
 * @param env by default the environment, and what `.env` adds to it
 * @throws StartError naming all invalid settings at once
 */
export function loadConfig(env: NodeJS.ProcessEnv = environment()) {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const config = cleanEnv(present, settings, {
    reporter: ({ errors }) => throwIfAny(Object.entries(errors).map(([name, error]) => `${name}: ${error?.message}`)),
  });
  throwIfAny(config.METRICS_PORT === config.PORT ? ['METRICS_PORT: must differ from PORT'] : []);
  return { ...config };
}

function throwIfAny(errors: string[]): void {
  if (errors.length > 0) throw new StartError(['Invalid configuration:', ...errors].join('\n  '));
}

function environment(): NodeJS.ProcessEnv {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new StartError(`Can't read the file .env (${reason}). Fix or remove it.`, { cause: error });
  }
  return process.env;
}

/** How many letters of a misspelled setting may be wrong. */
const TYPOS = 2;

/** Variables whose names are close to an unset setting's. Short settings are left out: too many names are close to them. */
export function misspelledSettings(env: NodeJS.ProcessEnv): { name: string; meant: string }[] {
  const unset = Object.keys(settings).filter((name) => name.length > 2 * TYPOS + 1 && (env[name] ?? '') === '');
  return Object.keys(env).flatMap((name) => {
    const meant = name in settings ? undefined : unset.find((known) => distance(known, name.toUpperCase()) <= TYPOS);
    return meant === undefined ? [] : [{ name, meant }];
  });
}
