import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SHUTDOWN_GRACE } from './config.js';
import { StartError } from './start-error.js';

/**
 * Closes something. It may be called a second time while the first call is still running.
 *
 * @param isForced don't wait for anybody; only stop what would outlive the process
 */
type Closer = (isForced: boolean) => unknown;

/** Milliseconds within which a repeated signal is ignored: a terminal and `npm` both send one for the same Ctrl-C. */
const DUPLICATE_WITHIN = 500;

/** Milliseconds that a forced shutdown may take: stopping the embedded server takes about 100. */
const FORCED_GRACE = 5_000;

/** SIGHUP means that the terminal was closed. Without a terminal it is not handled, which would break `nohup`. */
const isOnTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGQUIT', ...(isOnTerminal ? (['SIGHUP'] as const) : [])];

/**
 * Shuts the process down in order, whatever ends it (a signal, an error, the end of its work): what was opened last is
 * closed first. A second signal forces the shutdown.
 */
export class Lifetime {
  /** Where the shutdown is logged; without it, errors go to standard error and signals are not mentioned. */
  log?: Pick<Logger, 'info' | 'error' | 'fatal'>;

  /** Runs after a signal, before anything is closed. */
  drain?: () => Promise<unknown>;

  /** The exit code after a signal; by default that of `process.exitCode`. */
  codeOf: (signal: NodeJS.Signals) => number | undefined = () => undefined;

  readonly #stopping = new AbortController();
  readonly #closers: Closer[] = [];
  #program: Promise<unknown> = Promise.resolve();
  #lastSignal?: { signal: NodeJS.Signals; at: number };
  #ending?: Promise<void>;
  #forced?: Promise<void>;

  /** Aborted once the process shuts down, with the name of the signal if there was one: a startup should stop there. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Registers what to close on shutdown, before everything registered so far. */
  onEnd(close: Closer): void {
    this.#closers.unshift(close);
  }

  /**
   * Runs the program. If it throws, the process exits with code 1 and prints the message of a `StartError`, or the stack
   * of any other error. If it returns, the process runs for as long as anything keeps it alive.
   */
  async run(program: () => Promise<unknown>): Promise<void> {
    for (const signal of SIGNALS) process.on(signal, () => void this.#onSignal(signal));
    process.on('uncaughtException', (error) => void this.#fail(error));
    this.#program = program();
    try {
      await this.#program;
    } catch (error) {
      if (this.signal.aborted) return; // the shutdown has already begun
      console.error(error instanceof StartError ? error.message : error);
      await this.end(1);
    }
  }

  /** Closes everything and exits. @param code by default `process.exitCode` */
  end(code?: number): Promise<void> {
    return (this.#ending ??= this.#end(code));
  }

  async #end(code?: number): Promise<void> {
    this.#stopping.abort();
    setTimeout(() => {
      this.log?.error('requests in flight were cut off');
      void this.#force();
    }, SHUTDOWN_GRACE).unref();
    await this.#program.catch(() => undefined);
    let isClean = true;
    for (const close of this.#closers) {
      try {
        await close(false);
      } catch (error) {
        isClean = false;
        this.#logError(error, 'failed to close');
      }
    }
    await this.#forced;
    process.exit(isClean ? code : 1);
  }

  async #onSignal(signal: NodeJS.Signals): Promise<void> {
    const last = this.#lastSignal;
    if (last?.signal === signal && Date.now() - last.at <= DUPLICATE_WITHIN) return;
    this.#lastSignal = { signal, at: Date.now() };
    if (this.#forced !== undefined) process.exit(1);
    if (last !== undefined) return this.#force();
    this.log?.info(`${signal}: stopping`);
    this.#stopping.abort(signal);
    await this.drain?.();
    return this.end(this.codeOf(signal));
  }

  async #fail(error: Error): Promise<void> {
    if (this.#forced !== undefined) return;
    this.#logError(error, 'uncaught exception');
    return this.#ending === undefined ? this.end(1) : this.#force();
  }

  #force(): Promise<void> {
    return (this.#forced ??= this.#closeAndExit());
  }

  /** Closes again once the program has returned: it may have opened more in the meantime. */
  async #closeAndExit(): Promise<void> {
    this.#stopping.abort();
    const closeAll = () => Promise.allSettled(this.#closers.map(async (close) => close(true)));
    const all = Promise.all([closeAll(), this.#program.then(closeAll, closeAll)]);
    await Promise.race([all, sleep(FORCED_GRACE)]);
    process.exit(1);
  }

  #logError(error: unknown, what: string): void {
    if (this.log !== undefined) this.log.fatal({ err: error }, what);
    else console.error(error);
  }
}

export const lifetime = new Lifetime();

/** The exit code that shells expect after a signal. */
export const codeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

/** Waits for work, or throws the signal's reason once it is aborted; the work itself goes on. */
export function unlessAborted<Result>(work: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  if (signal === undefined) return work;
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}
