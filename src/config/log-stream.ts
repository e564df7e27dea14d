import { writeSync } from 'node:fs';

/** Lines are written in chunks of so many characters, or after so many milliseconds. */
const CHUNK = 4_096;
const MAX_DELAY = 500;

/** Characters kept while nobody reads; further lines are dropped. */
const CAPACITY = 1_048_576;

/** Milliseconds between two attempts to write to a full pipe, and how long the process waits for it on exit. */
const RETRY_EVERY = 50;
const EXIT_WAIT = 500;

/**
 * Writes the log to standard output or standard error. A slow, stuck or closed reader never blocks the process or its
 * exit: writing returns immediately, and what nobody reads is dropped, counted and reported. Node's own streams would
 * buffer without a limit, and pino's would wait for the reader on exit.
 */
export class LogStream {
  /** Lines dropped since the process started. */
  static dropped = 0;

  /** Called once writing works again, with the number of lines dropped in between. */
  onRecovery: (dropped: number) => void = () => undefined;

  #buffered = '';
  #chunk = Buffer.alloc(0);
  #timer?: NodeJS.Timeout;
  #droppedSince = 0;
  #isBroken = false;
  #isOpen = false;

  constructor(private readonly fd: 1 | 2) {}

  /** @param line with its line break */
  write(line: string): void {
    if (!this.#isOpen) this.#open();
    if (this.#isBroken || this.#buffered.length + this.#chunk.length > CAPACITY) return this.#drop();
    this.#buffered += line;
    const isBlocked = this.#chunk.length > 0;
    if (this.#buffered.length >= CHUNK && !isBlocked) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), isBlocked ? RETRY_EVERY : MAX_DELAY).unref();
  }

  /** Node makes a pipe non-blocking when it opens its own stream on it, so that stream is opened here. */
  #open(): void {
    this.#isOpen = true;
    void (this.fd === 1 ? process.stdout : process.stderr).writable;
    process.once('exit', () => this.#finish());
  }

  #drop(): void {
    LogStream.dropped++;
    this.#droppedSince++;
  }

  /** Writes as much as the reader accepts. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#writeSome());
    if (this.#chunk.length > 0 && !this.#isBroken) {
      this.#timer = setTimeout(() => this.#flush(), RETRY_EVERY).unref();
    } else if (this.#droppedSince > 0 && !this.#isBroken) {
      const dropped = this.#droppedSince;
      this.#droppedSince = 0;
      this.onRecovery(dropped);
    }
  }

  /** @returns whether anything was written, so that it is worth trying again */
  #writeSome(): boolean {
    if (this.#chunk.length === 0) {
      this.#chunk = Buffer.from(this.#buffered);
      this.#buffered = '';
    }
    if (this.#chunk.length === 0 || this.#isBroken) return false;
    try {
      this.#chunk = this.#chunk.subarray(writeSync(this.fd, this.#chunk));
      return true;
    } catch (error) {
      this.#isBroken = error instanceof Error && 'code' in error && error.code === 'EPIPE';
      return false;
    }
  }

  /** On exit, waits a moment for a slow reader. */
  #finish(): void {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    const end = performance.now() + EXIT_WAIT;
    this.#flush();
    while (this.#chunk.length > 0 && !this.#isBroken && performance.now() < end) {
      Atomics.wait(pause, 0, 0, RETRY_EVERY);
      this.#flush();
    }
  }
}
