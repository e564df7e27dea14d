import { createInterface } from 'node:readline/promises';
import { StartError } from '../config/start-error.js';

/** Milliseconds between two lines that say a command is still running. */
const PROGRESS_INTERVAL = 5_000;

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

export function printRows(rows: object[], { json }: { json?: true }): void {
  if (json) printJson(rows);
  else if (rows.length === 0) console.log('None.');
  else console.log(formatTable(rows));
}

/**
 * A header line, then one line per row. Free text such as names belongs in the last column: nobody knows how wide a
 * terminal shows it, so columns after it would not line up.
 */
function formatTable(rows: object[]): string {
  const lines = [
    Object.keys(rows[0]!).map((name) => name.toUpperCase()),
    ...rows.map((row) => Object.values(row).map(formatCell)),
  ];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
  const formatLine = (cells: string[]) => cells.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
  return lines.map((cells) => formatLine(cells).trimEnd()).join('\n');
}

function formatCell(value: unknown): string {
  if (value === null) return 'never';
  return value instanceof Date ? value.toISOString().replace(/\.\d+/, '') : String(value);
}

/**
 * Asks on the terminal, unless `--yes` was given.
 *
 * @throws StartError unless the user says yes, or if there is no terminal to ask on
 */
export async function confirm(question: string, isConfirmed = false): Promise<void> {
  if (isConfirmed) return;
  if (!process.stdin.isTTY) throw new StartError('Confirmation required: add --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const reply = await terminal.question(`${question} (y/N) `).catch(() => ''); // Ctrl-C and Ctrl-D mean no
  terminal.close();
  if (!/^y(es)?$/i.test(reply.trim())) throw new StartError('Cancelled: nothing was changed.');
}

/** Prints a line every few seconds until the work is done. */
export async function showProgress(line: string, work: Promise<void>): Promise<void> {
  const timer = setInterval(() => console.error(line), PROGRESS_INTERVAL);
  await work.finally(() => clearInterval(timer));
}
