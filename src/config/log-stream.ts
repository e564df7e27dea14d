import { writeSync } from 'node:fs';

/** Lines are written some at a time, at the latest after half a second: characters, milliseconds. */
const CHUNK = 4_096;
const LATEST = 500;

/** What is kept while nobody reads, in characters. Lines beyond are dropped. */
const CAPACITY = 1_048_576;

/** Milliseconds between two tries to write to a pipe that is full, and how long the end of the process may wait for one. */
const RETRY = 50;
const PARTING = 500;

/**
 * Where the log goes: standard output or standard error. A reader that is slow, stuck or gone never keeps the process
 * from its work nor from its end: writing returns at once, what nobody reads is dropped, and how much that was is counted
 * and told. Node's own streams for these keep any amount instead, and pino's waits for the reader when the process ends.
 */
export class LogStream {
  /** How many lines were dropped since the process began. */
  static dropped = 0;

  /** Called once writing works again, with the number of lines that were dropped meanwhile. */
  onRecovery: (dropped: number) => void = () => undefined;

  #gathered = '';
  #chunk = Buffer.alloc(0);
  #timer?: NodeJS.Timeout;
  #droppedSince = 0;
  #isBroken = false;
  #isUsed = false;

  constructor(private readonly fd: 1 | 2) {}

  /** Takes a line with its line break. */
  write(line: string): void {
    if (!this.#isUsed) this.#begin();
    if (this.#isBroken || this.#gathered.length + this.#chunk.length > CAPACITY) return this.#drop();
    this.#gathered += line;
    const isBlocked = this.#chunk.length > 0;
    if (this.#gathered.length >= CHUNK && !isBlocked) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), isBlocked ? RETRY : LATEST).unref();
  }

  /** Makes a pipe one on which writing never waits, which Node does when it opens its own stream. */
  #begin(): void {
    this.#isUsed = true;
    void (this.fd === 1 ? process.stdout : process.stderr).writable;
    process.once('exit', () => this.#finish());
  }

  #drop(): void {
    LogStream.dropped++;
    this.#droppedSince++;
  }

  /** Writes what was gathered, as far as the reader takes it. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#writeSome());
    if (this.#chunk.length > 0 && !this.#isBroken) {
      this.#timer = setTimeout(() => this.#flush(), RETRY).unref();
    } else if (this.#droppedSince > 0 && !this.#isBroken) {
      const dropped = this.#droppedSince;
      this.#droppedSince = 0;
      this.onRecovery(dropped);
    }
  }

  /** @returns whether anything was written, so that more may be */
  #writeSome(): boolean {
    if (this.#chunk.length === 0) {
      this.#chunk = Buffer.from(this.#gathered);
      this.#gathered = '';
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

  /** Gives a reader that is merely slow a last moment. */
  #finish(): void {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    const end = performance.now() + PARTING;
    this.#flush();
    while (this.#chunk.length > 0 && !this.#isBroken && performance.now() < end) {
      Atomics.wait(pause, 0, 0, RETRY);
      this.#flush();
    }
  }
}
