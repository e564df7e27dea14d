import { readFile, writeFile } from 'node:fs/promises';
import { format } from 'prettier';

const FILE = 'docs/reliability.md';

/** The parts of the report, each written by a test of its own. */
const PARTS = ['kills', 'endurance'] as const;

/** Puts a part into docs/reliability.md in place of what it was. */
export async function reportPart(part: (typeof PARTS)[number], markdown: string): Promise<void> {
  const old = await readFile(FILE, 'utf8').catch(() => '');
  const parts = PARTS.map((name) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const kept = old.includes(begin) ? old.split(begin)[1]!.split(end)[0]! : '';
    return [begin, name === part ? markdown.trim() : kept.trim(), end].join('\n\n');
  });
  const text = ['# Reliability', 'Written by `npm run test:chaos`.', ...parts].join('\n\n');
  await writeFile(FILE, await format(text, { parser: 'markdown', printWidth: 120 }));
}
