import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { cleanEnv, makeValidator, str } from 'envalid';
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

const urlLike = (example: string, ...protocols: string[]) =>
  makeValidator<string>((input) => {
    if (!URL.canParse(input) || !protocols.includes(new URL(input).protocol))
      throw new Error(`must look like ${example}`);
    return input;
  });

const port = integer(1, 65_535);
const url = urlLike('https://wins.example.com', 'http:', 'https:');
const postgresUrl = urlLike('postgres://user:password@host:5432/database', 'postgres:', 'postgresql:');
const redisUrl = urlLike('redis://host:6379', 'redis:', 'rediss:');

const proxies = makeValidator<string>((input) => {
  const wrong = input.split(',').find((item) => isIP(item.trim().split('/', 1)[0]!) === 0);
  if (wrong !== undefined) throw new Error(`"${wrong.trim()}" is not the address of a proxy, such as 10.0.0.0/8`);
  return input;
});

const origins = makeValidator<string[]>((input) => {
  const list = input.split(',').map((item) => item.trim());
  const wrong = list.find((item) => !URL.canParse(item) || new URL(item).origin !== item);
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an origin such as https://app.example`);
  return list;
});

/** Every setting of the service. README.md lists the same ones, and a test holds the two together. */
export const settings = {
  NODE_ENV: oneOf('development', 'production', 'test')({ default: 'development' }),
  HOST: str({ default: '127.0.0.1' }),
  PORT: port({ default: 3000 }),
  PUBLIC_URL: url({ default: undefined }),
  UPGRADE_URL: url({ default: 'https://example.com/upgrade' }),
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
    reporter: ({ errors }) => {
      const faults = Object.entries(errors).map(([name, error]) => `  ${name}: ${error?.message}`);
      if (faults.length > 0) throw new StartError(`The configuration is wrong:\n${faults.join('\n')}`);
    },
  });
  return { ...config };
}

function environment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}
