import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { misspelledSettings, type Config } from './config.js';
import { LogStream } from './log-stream.js';
import { StartError } from './start-error.js';
import { VERSION } from './version.js';

/** Logs only these fields of an error: a failed query's error also has its parameters, which clients sent. */
function describe(error: Error & { code?: string }) {
  return { type: error.name, message: error.message, code: error.code, stack: error.stack };
}

/**
 * The process's logger: JSON lines in production, readable lines in development.
 *
 * @param fd standard output, or standard error for a command that prints its result
 * @throws StartError if `pino-pretty`, which formats readable lines, isn't installed
 */
export async function createLogger(config: Pick<Config, 'LOG_LEVEL' | 'NODE_ENV'>, fd: 1 | 2 = 1): Promise<Logger> {
  const stream = new LogStream(fd);
  const prettify = config.NODE_ENV === 'development' ? await prettifier() : undefined;
  const logger = pino(
    { level: config.LOG_LEVEL, serializers: { err: describe } },
    prettify === undefined ? stream : { write: (line: string) => stream.write(prettify(line)) },
  );
  stream.onRecovery = (dropped) => logger.warn({ dropped }, 'log lines were dropped because nobody read them');
  return logger;
}

async function prettifier(): Promise<(line: string) => string> {
  const { prettyFactory, isColorSupported } = await import('pino-pretty').catch((error: unknown) => {
    throw new StartError(
      'NODE_ENV=development needs the package pino-pretty, which is not installed. Set NODE_ENV=production.',
      {
        cause: error,
      },
    );
  });
  return prettyFactory({
    colorize: isColorSupported,
    ignore: 'pid,hostname',
    translateTime: 'HH:MM:ss',
    singleLine: true,
  });
}

/** Further fields of the log line `listening on`. */
export const ABOUT_PROCESS = {
  version: VERSION,
  node: process.version,
  startedAt: new Date(performance.timeOrigin),
};

/** Logs misspelled settings, and from now on the warnings of Node.js and of packages. Call it once. */
export function logWarnings(logger: Logger, env: NodeJS.ProcessEnv = process.env): void {
  for (const { name, meant } of misspelledSettings(env)) {
    logger.warn(`${name} is not a setting and has no effect. Did you mean ${meant}?`);
  }
  process.removeAllListeners('warning');
  process.on('warning', (err) => logger.warn({ err }, 'warning'));
  process.stdout.on('error', () => undefined); // keep running when the reader is gone
}

/** Passes Nest's own messages on to the process's logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log = (message: unknown, context?: string) => this.logger.debug({ context }, String(message));
  debug = this.log;
  verbose = this.log;
  warn = (message: unknown, context?: string) => this.logger.warn({ context }, String(message));
  error = (message: unknown, stack?: string, context?: string) =>
    this.logger.error({ context, stack }, String(message));
  fatal = (message: unknown, context?: string) => this.logger.fatal({ context }, String(message));
}
