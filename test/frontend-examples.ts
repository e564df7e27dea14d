import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { loadConfig } from '../src/config/config.js';
import { openDatabase } from '../src/database/database.js';
import { Sql } from '../src/database/sql.js';
import { findDemoToken } from '../src/demo/token.js';
import { Factory } from './harness/factories.js';
import { Process, type Workshop } from './harness/processes.js';

/** The examples in the documentation, and the demo account that they are about. */

export interface Example {
  /** The heading it stands below. */
  title: string;
  /** The language of its block, with whatever stands behind it. */
  kind: string;
  code: string;
  /** The block of JSON or HTTP that follows. */
  answer: string;
}

/** All blocks of code in a Markdown file. */
export function examplesIn(file: string): Example[] {
  const examples: Example[] = [];
  let title = '';
  for (const match of readFileSync(file, 'utf8').matchAll(/^## (.*)$|^```(.+)\n([^]*?)^```$/gm)) {
    const [, heading, kind = '', code = ''] = match;
    if (heading !== undefined) title = heading;
    else if (kind === 'json' || kind === 'http') examples.at(-1)!.answer = code;
    else examples.push({ title, kind, code, answer: '' });
  }
  return examples;
}

/** What a script prints according to its comments: those behind `console.log` and those that have a line of their own. */
export const promisedOutput = (code: string) =>
  [...code.matchAll(/^\s*\/\/ (.*)$|console\.log\(.*\/\/ (.*)$/gm)].map(([, line, behind]) => line ?? behind);

/** An answer with what no two accounts have in common made equal. */
export function comparable(answer: string): { head: string[]; body: unknown } {
  const text = answer
    .replaceAll('\r\n', '\n')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID');
  const [head = '', body = ''] = text.startsWith('HTTP') ? text.split('\n\n') : ['', text];
  return { head: head.trim().split('\n'), body: body.trim() && JSON.parse(body) };
}

/** Makes the account that the embedded database begins with, and a token that is kept in the folder. */
async function makeDemoAccount(url: string, folder: string): Promise<string> {
  await mkdir(folder);
  const { dataSource, close } = await openDatabase(loadConfig({ DATABASE_URL: url, DATABASE_POOL_SIZE: '1' }));
  try {
    return await findDemoToken(new Factory(dataSource).auth, new Sql(dataSource), folder);
  } finally {
    await close();
  }
}

/** A folder in which the examples run, beside a service with the demo account that they suppose. */
export class Demo {
  private constructor(
    private readonly workshop: Workshop,
    private readonly env: NodeJS.ProcessEnv,
    private readonly folder: string,
    private readonly token: string,
    private readonly url: string,
  ) {}

  static async start(workshop: Workshop): Promise<Demo> {
    const { url: DATABASE_URL } = await workshop.database();
    const env = { DATABASE_URL, LOG_LEVEL: 'silent' };
    const folder = await workshop.folder();
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    const token = await makeDemoAccount(DATABASE_URL, join(folder, '.data'));
    return new Demo(workshop, env, folder, token, (await workshop.serve(env)).url);
  }

  /** Runs a script of a shell. @returns what it prints @throws Error if it fails */
  async runShell(code: string, url = this.url): Promise<string> {
    return (await promisify(execFile)('sh', ['-euc', this.fill(code, url)], { cwd: this.folder })).stdout;
  }

  /** Runs a module of Node. @returns the lines it prints @throws Error if it fails */
  async runModule(code: string, url = this.url): Promise<string[]> {
    const file = join(this.folder, 'example.mjs');
    await writeFile(file, this.fill(code, url));
    const { code: exit, stdout, stderr } = await new Process(process.execPath, [file], {}, this.folder).ended;
    if (exit !== 0) throw new Error(stderr);
    return stdout.split('\n').slice(0, -1);
  }

  /** Works with the address of a service that refuses the first GET, for a second. @returns the statuses it answered */
  async refuseFirst(work: (url: string) => Promise<void>): Promise<number[]> {
    const exhausted = await this.workshop.serve({ ...this.env, RATE_LIMIT_PER_MINUTE: '1' });
    await exhausted.call('GET', '/api/v1/me', { token: this.token });
    const statuses: number[] = [];
    const relay = createServer(async ({ url, headers: { authorization = '' } }, response) => {
      const target = statuses.length === 0 ? exhausted.url : this.url;
      const { status, headers, body } = await fetch(target + url, { headers: { authorization } });
      statuses.push(status);
      response.writeHead(status, {
        'content-type': headers.get('content-type')!,
        ...(headers.has('retry-after') && { 'retry-after': '1' }),
      });
      await pipeline(body!, response);
    });
    relay.listen(0, '127.0.0.1');
    await once(relay, 'listening');
    try {
      await work(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`);
      return statuses;
    } finally {
      relay.close();
    }
  }

  private fill(code: string, url: string): string {
    return code.replaceAll('http://127.0.0.1:3000', url).replaceAll("'wins_…'", `'${this.token}'`);
  }
}
