import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SHUTDOWN_GRACE } from './config.js';
import { StartError } from './start-error.js';

/**
 * Closes something. @param isForced there is no time to wait for others: only what would outlive the process matters.
 * It may be called again, and while a first call is still at work.
 */
type Closer = (isForced: boolean) => unknown;

/** Milliseconds in which the same signal counts once: a terminal and `npm` both pass on one Ctrl-C. */
const ECHO = 500;

/** Milliseconds that a forced end may take: stopping the embedded server takes about a tenth of a second. */
const FORCED_GRACE = 5_000;

/**
 * A terminal that closes sends SIGHUP. Without a terminal nobody listens for it, since that would undo `nohup`.
 */
const isOnTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGQUIT', ...(isOnTerminal ? (['SIGHUP'] as const) : [])];

/**
 * The life of this process: whatever ends it (a signal, an error, the end of its work), what it opened is closed, the
 * last first. A second signal is not kept waiting.
 */
export class Lifetime {
  /** Where the end is told; without one, errors go to standard error and signals are not mentioned. */
  log?: Pick<Logger, 'info' | 'error' | 'fatal'>;

  /** What a signal starts before anything is closed. */
  drain?: () => Promise<unknown>;

  /** The exit code after a signal; unless told otherwise that of `process.exitCode`. */
  codeOf: (signal: NodeJS.Signals) => number | undefined = () => undefined;

  readonly #stopping = new AbortController();
  readonly #closers: Closer[] = [];
  #program: Promise<unknown> = Promise.resolve();
  #heard?: { signal: NodeJS.Signals; at: number };
  #ending?: Promise<void>;
  #forced?: Promise<void>;

  /** Aborted, with the signal's name where there was one, once the process is to end: a start should go no further. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Names what the end of the process has to close; what was named last goes first. */
  onEnd(close: Closer): void {
    this.#closers.unshift(close);
  }

  /**
   * Runs the program. What it throws ends the process with code 1: in one line where it is foreseen, else with its
   * stack. Once it is done, the process lives on for as long as something keeps it.
   */
  async run(program: () => Promise<unknown>): Promise<void> {
    for (const signal of SIGNALS) process.on(signal, () => void this.#hear(signal));
    process.on('uncaughtException', (error) => void this.#fail(error));
    this.#program = program();
    try {
      await this.#program;
    } catch (error) {
      if (this.signal.aborted) return; // it was told to go no further
      console.error(error instanceof StartError ? error.message : error);
      await this.end(1);
    }
  }

  /** Closes everything and ends the process. @param code that of `process.exitCode` if left out */
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
        this.#tell(error, 'not closed');
      }
    }
    await this.#forced;
    process.exit(isClean ? code : 1);
  }

  async #hear(signal: NodeJS.Signals): Promise<void> {
    const before = this.#heard;
    if (before?.signal === signal && Date.now() - before.at <= ECHO) return;
    this.#heard = { signal, at: Date.now() };
    if (this.#forced !== undefined) process.exit(1);
    if (before !== undefined) return this.#force();
    this.log?.info(`${signal}: stopping`);
    this.#stopping.abort(signal);
    await this.drain?.();
    return this.end(this.codeOf(signal));
  }

  async #fail(error: Error): Promise<void> {
    if (this.#forced !== undefined) return;
    this.#tell(error, 'an error that nobody caught');
    return this.#ending === undefined ? this.end(1) : this.#force();
  }

  #force(): Promise<void> {
    return (this.#forced ??= this.#endAtOnce());
  }

  /** What the program opens while it is being closed counts too. */
  async #endAtOnce(): Promise<void> {
    this.#stopping.abort();
    const closeAll = () => Promise.allSettled(this.#closers.map(async (close) => close(true)));
    const all = Promise.all([closeAll(), this.#program.then(closeAll, closeAll)]);
    await Promise.race([all, sleep(FORCED_GRACE)]);
    process.exit(1);
  }

  #tell(error: unknown, what: string): void {
    if (this.log !== undefined) this.log.fatal({ err: error }, what);
    else console.error(error);
  }
}

/** That of this process. */
export const lifetime = new Lifetime();

/** The exit code by which shells know what a signal ended. */
export const codeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

/** Waits for work, but not once the signal is aborted. @throws its reason then; what was under way is left to itself */
export function unlessAborted<Result>(work: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  if (signal === undefined) return work;
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}
