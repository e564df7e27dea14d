import 'reflect-metadata';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.setup.js';
import { AuthService } from './auth/auth.service.js';
import { loadConfig, SHUTDOWN_GRACE, type Config } from './config/config.js';
import { ABOUT_PROCESS, createLogger, logProcess } from './config/logger.js';
import { runOrExit, StartError } from './config/start-error.js';
import { openDatabase, type Database } from './database/database.js';
import { Sql } from './database/sql.js';
import { findDemoToken } from './demo/token.js';
import { DOCS_PATH } from './docs/explorer.js';
import { Readiness } from './operations/readiness.js';

/** Milliseconds in which a signal counts once: a terminal and `npm` both pass on the same Ctrl-C. */
const ECHO = 500;

await runOrExit(async () => {
  const config = loadConfig();
  const logger = await createLogger(config);
  logProcess(logger);
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'an error that nobody caught');
    process.exit(1);
  });

  let database: Database | undefined;
  let app: NestFastifyApplication | undefined;

  // From here on, signals are heard: as process 1 of a container, one without a listener would not end the process.
  const stop = async (signal: NodeJS.Signals) => {
    logger.info(`${signal}: stopping`);
    const told = Date.now();
    process.on(signal, () => Date.now() - told > ECHO && process.exit(1)); // a second one does not wait
    if (app !== undefined) {
      app.get(Readiness).isDraining = true;
      await sleep(config.SHUTDOWN_DELAY);
    }
    setTimeout(() => {
      logger.error('requests in flight were cut off');
      process.exit(1);
    }, SHUTDOWN_GRACE).unref();
    await app?.close();
    await database?.close();
    process.exit(0);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);

  await checkPorts(config);
  database = await openDatabase(config);
  app = await createApp(config, database.dataSource, logger);

  try {
    await app.listen(config.PORT, config.HOST);
  } catch (error) {
    await database.close();
    throw portError(config, 'PORT', error);
  }
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
});

/** Finds out that a port is taken before a database is started. */
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
  if (code === 'EADDRINUSE') return new StartError(`Port ${port} on ${HOST} is taken. Set ${name} to another one.`);
  if (code === 'EACCES')
    return new StartError(`Port ${port} may not be used by this account. Set ${name} to one above 1023.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`This machine has no address ${HOST}. Set HOST to one it has.`);
  return error;
}
