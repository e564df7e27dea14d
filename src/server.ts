import 'reflect-metadata';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.setup.js';
import { AuthService } from './auth/auth.service.js';
import { loadConfig, type Config } from './config/config.js';
import { lifetime } from './config/lifetime.js';
import { ABOUT_PROCESS, createLogger, logWarnings } from './config/logger.js';
import { StartError } from './config/start-error.js';
import { openDatabase } from './database/database.js';
import { Sql } from './database/sql.js';
import { findDemoToken } from './demo/token.js';
import { DOCS_PATH } from './docs/explorer.js';
import { Readiness } from './operations/readiness.js';

/** Milliseconds to wait for a database that is still starting or can't be resolved yet. */
const DATABASE_PATIENCE = 60_000;

/** Starts the service. Whatever was opened here is closed when the process ends, even during startup. */
export async function serve(): Promise<void> {
  const config = loadConfig();
  const logger = await createLogger(config);
  logWarnings(logger);
  lifetime.log = logger;
  lifetime.codeOf = () => 0;

  await checkPorts(config);
  const database = await openDatabase(config, {
    patience: DATABASE_PATIENCE,
    signal: lifetime.signal,
    tell: (line) => logger.warn(line),
  });
  lifetime.onEnd((isForced) => database.close(isForced));
  const app = await createApp(config, database.dataSource, logger);
  lifetime.onEnd((isForced) => (isForced ? undefined : app.close()));
  lifetime.signal.throwIfAborted();

  await listen(app, config);
  lifetime.drain = () => {
    app.get(Readiness).isDraining = true;
    return sleep(config.SHUTDOWN_DELAY);
  };
  const url =
    config.PUBLIC_URL ?? `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${config.PORT}`;
  logger.info(ABOUT_PROCESS, `listening on ${url}`);
  if (config.DATABASE_URL === undefined) {
    const token = await findDemoToken(app.get(AuthService), app.get(Sql), config.DATA_DIR);
    console.log(`
  API       ${url}/api/v1
  Explorer  ${url}${DOCS_PATH}
  Token     ${token}

  curl -H 'Authorization: Bearer ${token}' ${url}/api/v1/tags
`);
  }
}

async function listen(app: NestFastifyApplication, config: Config): Promise<void> {
  await app.listen(config.PORT, config.HOST).catch((error: unknown) => {
    throw portError(config, 'PORT', error);
  });
}

/** Fails early if a port is in use, before the database is started. */
async function checkPorts(config: Config): Promise<void> {
  const probes: Server[] = [];
  try {
    for (const name of ['PORT', 'METRICS_PORT'] as const) {
      if (config[name] === undefined) continue;
      const probe = createServer();
      await new Promise<void>((resolve, reject) =>
        probe.once('error', reject).listen(config[name], config.HOST, resolve),
      ).catch((error: unknown) => {
        throw portError(config, name, error);
      });
      probes.push(probe);
    }
  } finally {
    await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  }
}

function portError(config: Config, name: 'PORT' | 'METRICS_PORT', error: unknown): unknown {
  const { HOST, [name]: port } = config;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new StartError(`Port ${port} on ${HOST} is already in use. Set ${name} to another one.`);
  if (code === 'EACCES') return new StartError(`This account may not use port ${port}. Set ${name} to one above 1023.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`This machine has no address ${HOST}. Set HOST to one that it has.`);
  return error;
}
