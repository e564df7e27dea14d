import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DataSource } from 'typeorm';
import { createApp } from '../../src/app.setup.js';
import { loadConfig, type Config } from '../../src/config/config.js';
import { createLogger } from '../../src/config/logger.js';
import { openDatabase } from '../../src/database/database.js';
import { Client } from './client.js';
import { Factory, type Person } from './factories.js';

/** The service on a port of its own, for one test file. */
export interface TestApp {
  url: string;
  app: NestFastifyApplication;
  dataSource: DataSource;
  /** Makes users and, past the API, rows of theirs. */
  make: Factory;
  /** Calls the API, as a person or as nobody. */
  as(person?: Person): Client;
  close(): Promise<void>;
}

/** @param settings differ from the defaults, as environment variables */
export async function startApp(settings: NodeJS.ProcessEnv = {}): Promise<TestApp> {
  const env = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '0',
    DATABASE_URL: process.env.TEST_DATABASE_URL,
    PREPARED_STATEMENTS: process.env.TEST_PREPARED_STATEMENTS,
    ...settings,
  };
  const config: Config = loadConfig(env);
  const database = await openDatabase(config);
  const app = await createApp(config, database.dataSource, await createLogger(config));
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    url,
    app,
    dataSource: database.dataSource,
    make: new Factory(database.dataSource),
    as: (person) => new Client(url, person?.token),
    async close() {
      await app.close();
      await database.close();
    },
  };
}
