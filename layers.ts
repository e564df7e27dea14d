import { readFile, writeFile } from 'node:fs/promises';

/**
 * The layers of `src`, top to bottom: a layer imports from those below it, and never from those beside or above it, apart
 * from the file or folder itself. A test holds the imports against this list. `npm run layers` draws it into
 * docs/architecture.md.
 */
export const LAYERS: { members: string[]; what: string }[] = [
  { members: ['main.ts', 'cli.ts'], what: 'check Node, then load the program' },
  { members: ['server.ts', 'cli/'], what: 'the process: ports, signals, commands' },
  { members: ['app.setup.ts'], what: 'the steps that build the application' },
  { members: ['app.module.ts', 'docs/', 'demo/'], what: 'the modules joined; the document and its page; example data' },
  { members: ['refusals.ts'], what: 'what violated constraints mean, of all modules' },
  { members: ['operations/'], what: 'health, metrics, housekeeping' },
  { members: ['changes/'], what: 'what changed since' },
  { members: ['wins/'], what: 'wins' },
  { members: ['tags/', 'spaces/'], what: 'what wins refer to' },
  { members: ['auth/'], what: 'users, tokens, admission' },
  { members: ['openapi/'], what: 'what a controller says of itself' },
  { members: ['idempotency/'], what: 'requests that may be repeated' },
  { members: ['http/'], what: 'connections, bodies, checks, responses' },
  { members: ['database/'], what: 'sessions, statements, migrations' },
  { members: ['common/', 'config/', 'node-version.js'], what: 'import nothing of src' },
];

/** @param path of a file, below `src` @returns its layer's place, from the top, and the member that it belongs to */
export function layerOf(path: string): { place: number; member: string } {
  for (const [place, { members }] of LAYERS.entries()) {
    const member = members.find((name) => (name.endsWith('/') ? path.startsWith(name) : path === name));
    if (member !== undefined) return { place, member };
  }
  throw new Error(`src/${path} is in no layer of layers.ts`);
}

const BEGIN = '<!-- layers: written by npm run layers -->';
const END = '<!-- /layers -->';

/** The layers as text, one line each. */
export function drawLayers(): string {
  const lines = LAYERS.map(({ members, what }) => [members.join('  '), what] as const);
  const width = Math.max(...lines.map(([members]) => members.length));
  return ['```', ...lines.map(([members, what]) => `${members.padEnd(width)}  ${what}`), '```'].join('\n');
}

/** A document with the layers drawn between the two comments. */
export function withLayers(text: string): string {
  const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (before === -1 || after === -1) throw new Error(`Missing: ${BEGIN} … ${END}`);
  return `${text.slice(0, before)}${BEGIN}\n\n${drawLayers()}\n\n${text.slice(after)}`;
}

if (process.argv[1]?.endsWith('layers.ts')) {
  const file = 'docs/architecture.md';
  await writeFile(file, withLayers(await readFile(file, 'utf8')));
}
