import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir, readlink, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Process, type Ending } from './processes.js';
import { until } from './until.js';

/**
 * The image, built and run by a program with these commands: `build` builds the Dockerfile of the working directory,
 * `inspect` tells of the image, and `run [NAME=VALUE…] [-- COMMAND…]` runs it in the foreground. What runs in a container
 * must be a descendant of that program, on this machine's network and with a file system of its own.
 */

const execute = promisify(execFile);

const DEFAULT_TOOL = resolve('../shared/container/try-image');

/** The program, or `undefined` where there is none, or no right to look into its containers. */
export const imageTool =
  process.getuid?.() === 0
    ? (process.env.IMAGE_TOOL ?? (existsSync(DEFAULT_TOOL) ? DEFAULT_TOOL : undefined))
    : undefined;

const SHELLS = ['sh', 'dash', 'bash', 'rbash'].map((name) => join('usr', 'bin', name));

/** Waits until the root file system is read-only, then becomes the command that follows: the process stays the same. */
const HOLD = `
  const { accessSync, constants } = require('node:fs');
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let isWritable = true; isWritable; ) {
    Atomics.wait(pause, 0, 0, 2);
    try {
      accessSync('/tmp', constants.W_OK);
    } catch (error) {
      if (error.code !== 'EROFS') throw error;
      isWritable = false;
    }
  }
  const [program, ...args] = process.argv.slice(1);
  if (program !== 'node') throw new Error('It runs ' + program);
  process.execve(process.execPath, [program, ...args], process.env);`;

/** What is said of the image: its user, the commands as they stand in its configuration, and its sizes in MB. */
export interface Inspection {
  user: string;
  entrypoint: string[] | null;
  command: string[];
  healthcheck: { Test: string[] };
  size: number;
  baseSize: number;
}

export async function buildImage(): Promise<void> {
  await execute(imageTool!, ['build'], { maxBuffer: 1e8 });
}

export async function inspectImage(): Promise<Inspection> {
  const { stdout } = await execute(imageTool!, ['inspect']);
  const line = (name: string) => new RegExp(`^${name}: *(.*)$`, 'm').exec(stdout)?.[1] ?? '';
  const [size, baseSize] = [...line('size').matchAll(/([\d.]+) MB/g)].map(([, number]) => Number(number));
  return {
    user: line('user'),
    entrypoint: JSON.parse(line('entrypoint')) as string[] | null,
    command: JSON.parse(line('command')) as string[],
    healthcheck: JSON.parse(line('healthcheck')) as { Test: string[] },
    size: size!,
    baseSize: baseSize!,
  };
}

/** A command in a container of its own, which has no shell and can write nothing. */
export class Container extends Process {
  /** When the command was let go, as `performance.now()` tells it. */
  begun = NaN;
  private node: number | undefined;

  private constructor(command: string[], env: NodeJS.ProcessEnv) {
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    super(imageTool!, ['run', ...settings, '--', 'node', '-e', HOLD, '--', ...command]);
  }

  /** Starts a command of Node's. @param env its environment, besides what the image sets */
  static async start(command: string[], env: NodeJS.ProcessEnv = {}): Promise<Container> {
    const container = new Container(command, env);
    try {
      await container.takeAway();
    } catch (error) {
      await container.stop('SIGKILL');
      throw error;
    }
    container.begun = performance.now();
    return container;
  }

  /** Takes shells and the right to write away, whereupon the command begins. */
  private async takeAway(): Promise<void> {
    await until(async () => {
      if (this.hasEnded) throw new Error(`The container did not start:\n${this.stdout}${this.stderr}`);
      this.node = await findNode(this.pid!);
      return this.node !== undefined;
    }, 60_000);
    const root = `/proc/${this.node}/root`;
    for (const shell of SHELLS) await rm(join(root, shell), { force: true });
    const mount = ['mount', '-o', 'remount,bind,ro', await readlink(root)];
    await execute('nsenter', ['--mount', `--target=${this.node}`, '--', ...mount]);
  }

  /** Runs a command of Node's to its end. */
  static async run(command: string[], env: NodeJS.ProcessEnv = {}): Promise<Ending> {
    return (await Container.start(command, env)).ended;
  }

  /** Sends the signal to the process in the container, as a container engine does. */
  override kill(signal: NodeJS.Signals): void {
    if (this.node === undefined) super.kill(signal);
    else process.kill(this.node, signal);
  }
}

/** The process of Node's, below another, that has another root directory. */
async function findNode(pid: number): Promise<number | undefined> {
  const [root, program] = await Promise.all(
    ['root', 'exe'].map((link) => readlink(`/proc/${pid}/${link}`).catch(() => '/')),
  );
  if (root !== '/' && program!.endsWith('/bin/node')) return pid;
  for (const child of await childrenOf(pid)) {
    const found = await findNode(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  return lists.join(' ').split(' ').filter(Boolean).map(Number);
}
