import { existsSync } from 'node:fs';
import { cleanEnv, makeValidator, port, str, url } from 'envalid';
import { StartError } from './start-error.js';

const integer = (min: number, max: number) =>
  makeValidator<number>((input) => {
    if (!/^\d+$/.test(input) || Number(input) < min || Number(input) > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return Number(input);
  });

const postgresUrl = makeValidator<string>((input) => {
  if (!URL.canParse(input) || !['postgres:', 'postgresql:'].includes(new URL(input).protocol)) {
    throw new Error('must look like postgres://user:password@host:5432/database');
  }
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
  NODE_ENV: str({ choices: ['development', 'production', 'test'], default: 'development' }),
  HOST: str({ default: '127.0.0.1' }),
  PORT: port({ default: 3000 }),
  PUBLIC_URL: url({ default: undefined }),
  UPGRADE_URL: url({ default: 'https://example.com/upgrade' }),
  DATABASE_URL: postgresUrl({
    default: undefined,
    requiredWhen: (env) => env.NODE_ENV === 'production',
  }),
  DATABASE_POOL_SIZE: integer(1, 1000)({ default: 10 }),
  PREPARED_STATEMENTS: str({ choices: ['on', 'off'], default: 'on' }),
  MIGRATIONS: str({ choices: ['on', 'off'], default: 'on' }),
  DATA_DIR: str({ default: '.data' }),
  CORS_ORIGINS: origins({ default: undefined }),
  LOG_LEVEL: str({ choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], default: 'info' }),
};

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
