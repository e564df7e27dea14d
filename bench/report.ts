import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { format } from 'prettier';
import type { Client } from 'pg';

const RESULTS = join('bench', 'results.md');

/** The packages whose versions the results name, by folder. */
const PACKAGES = [
  ...['@nestjs/core', 'fastify', 'pg', 'typeorm'].map((name) => join('node_modules', name)),
  join('bench', 'node_modules', 'autocannon'),
];

/** The parts of the results, each written by a program of its own. */
const PARTS = ['run', 'growth', 'start'] as const;

/** A Markdown table. @param rows of cells; columns but the first are aligned right */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((cells) => (cells[column] ?? '').length)));
  const line = (cells: string[]) =>
    `| ${widths.map((width, column) => (column === 0 ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** When, where and with what versions something was measured, as a Markdown list. */
export async function circumstances(client: Client): Promise<string> {
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  const versions = await Promise.all(
    PACKAGES.map(async (folder) => {
      const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      return `${name} ${version}`;
    }),
  );
  return [
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Machine: ${cpus()[0]?.model}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}`,
    `- Versions: Node ${process.versions.node}, PostgreSQL ${rows[0]!.server_version}, ${versions.join(', ')}`,
    `- Command: \`npm run ${[process.env.npm_lifecycle_event ?? 'bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ')}\``,
  ].join('\n');
}

/** Prints a part of the results and, where it is worth keeping, puts it in `bench/results.md` in place of the last one. */
export async function report(part: (typeof PARTS)[number], markdown: string, keep: boolean): Promise<void> {
  console.log(`\n${markdown}`);
  if (!keep) return console.log('\nA quick or partial look; bench/results.md stays as it is.');
  const old = await readFile(RESULTS, 'utf8').catch(() => '');
  const parts = PARTS.map((name) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const kept = old.includes(begin) ? old.split(begin)[1]!.split(end)[0]! : '';
    return [begin, name === part ? markdown : kept.trim(), end].join('\n\n');
  });
  const text = ['# Results', 'Written by `npm run bench`, `bench:growth` and `bench:start`.', ...parts].join('\n\n');
  await writeFile(RESULTS, await format(text, { parser: 'markdown', printWidth: 120 }));
}
