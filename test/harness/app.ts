import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DataSource } from 'typeorm';
import { createApp } from '../../src/app.setup.js';
import { loadConfig, type Config } from '../../src/config/config.js';
import { createLogger } from '../../src/config/logger.js';
import { createDataSource } from '../../src/database/data-source.js';
import { openDatabase } from '../../src/database/database.js';
import { Client } from './client.js';
import { Factory, type Person } from './factories.js';
import { freePort } from './ports.js';
import { openSurroundings, startBuilt, type Surroundings } from './surroundings.js';
import { until } from './until.js';

/** The service on a port of its own, for one test file. */
export interface TestApp {
  url: string;
  /** The application itself. @throws Error where it runs as a process of its own (`TEST_SURROUNDINGS`) */
  readonly app: NestFastifyApplication;
  dataSource: DataSource;
  /** Makes users and, past the API, rows of theirs. */
  make: Factory;
  /** Calls the API, as a person or as nobody. */
  as(person?: Person): Client;
  close(): Promise<void>;
}

const SETTINGS = { NODE_ENV: 'test', LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '0' };

/**
 * Starts the service: in this process, or as `TEST_SURROUNDINGS` says.
 *
 * @param settings differ from the defaults, as environment variables
 */
export async function startApp(settings: NodeJS.ProcessEnv = {}): Promise<TestApp> {
  const env = { ...SETTINGS, DATABASE_URL: process.env.TEST_DATABASE_URL, ...settings };
  const surroundings = await openSurroundings(env.DATABASE_URL!);
  return surroundings === undefined ? startHere(env) : startThere(env, settings, surroundings);
}

async function startHere(env: NodeJS.ProcessEnv): Promise<TestApp> {
  const config: Config = loadConfig(env);
  const database = await openDatabase(config);
  const app = await createApp(config, database.dataSource, await createLogger(config));
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    ...clientsOf(url, database.dataSource),
    app,
    async close() {
      await app.close();
      await database.close();
    },
  };
}

async function startThere(
  env: NodeJS.ProcessEnv,
  own: NodeJS.ProcessEnv,
  surroundings: Surroundings,
): Promise<TestApp> {
  const { front, start = startBuilt, close } = surroundings;
  const port = await freePort();
  const all = { ...env, LOG_LEVEL: 'error', HOST: '127.0.0.1', PORT: String(port), ...own, ...surroundings.settings };
  const service = await start(all);
  const url = `http://127.0.0.1:${port}`;
  await until(async () => {
    if (service.hasEnded) throw new Error(`The service did not start:\n${service.stdout}${service.stderr}`);
    return fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  }, 60_000);
  const dataSource = await createDataSource(env.DATABASE_URL!, loadConfig(env)).initialize();
  return {
    ...clientsOf((await front?.(url)) ?? url, dataSource),
    get app(): never {
      throw new Error('The application itself is not at hand: it runs as a process of its own');
    },
    async close() {
      if (!dataSource.isInitialized) return;
      await dataSource.destroy();
      const { code, signal, stdout, stderr } = await service.stop();
      await close?.();
      if (code !== 0) throw new Error(`The service ended with ${signal ?? code}:\n${stdout}${stderr}`);
    },
  };
}

const clientsOf = (url: string, dataSource: DataSource) => ({
  url,
  dataSource,
  make: new Factory(dataSource),
  as: (person?: Person) => new Client(url, person?.token),
});
