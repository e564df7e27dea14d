import { stringify } from 'csv-stringify/sync';
import type { Format, WinFilter } from './dto/win-query.js';
import type { SpaceOfWin, Win } from './dto/win.js';

/** Reads wins page by page, newest first. */
type Read = (filter?: WinFilter) => AsyncIterable<Win[]>;

interface Writer {
  type: string;
  extension: string;
  /** @param spaces whose wins they are, in the user's order */
  write(spaces: SpaceOfWin[], read: Read): AsyncGenerator<string>;
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

const namesOf = ({ tags }: Win) => tags.map(({ name }) => name).join(', ');

/** One item of a list. Text of many lines stands below its day, so that any Markdown in it stays whole. */
function itemOf(win: Win): string {
  const lines = win.body.trim().split(/\r\n?|\n/);
  const labels = win.tags.length > 0 ? ` _(${namesOf(win)})_` : '';
  const day = `- **${win.occurred_on}**`;
  if (lines.length === 1) return `${day} ${lines[0]}${labels}\n`;
  return `${day}${labels}\n\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

/** What people paste into a review: a heading for each space and month. */
async function* markdown(spaces: SpaceOfWin[], read: Read): AsyncGenerator<string> {
  let head = '# Wins\n';
  for (const { id, name, emoji } of spaces) {
    let month: string | undefined;
    for await (const page of read({ space_id: [id] })) {
      if (page.length === 0) continue;
      let text = head;
      for (const win of page) {
        if (month === undefined) text += `\n## ${emoji === null ? name : `${emoji} ${name}`}\n`;
        const current = MONTH.format(new Date(win.occurred_on));
        if (current !== month) text += `\n### ${current}\n\n`;
        month = current;
        text += itemOf(win);
      }
      yield text;
      head = '';
    }
  }
  if (head !== '') yield `${head}\nNone.\n`;
}

const CSV_COLUMNS = ['id', 'occurred_on', 'space', 'body', 'tags', 'created_at', 'updated_at'];

const recordOf = (win: Win) => [
  win.id,
  win.occurred_on,
  win.space.name,
  win.body,
  namesOf(win),
  win.created_at,
  win.updated_at,
];

/** Spreadsheets know by the mark at its begin that it is UTF-8, and take no text for a formula. */
async function* csv(_: SpaceOfWin[], read: Read): AsyncGenerator<string> {
  let isFirst = true;
  for await (const page of read()) {
    yield (
      (isFirst ? '\uFEFF' : '') +
      stringify(page.map(recordOf), {
        header: isFirst,
        columns: CSV_COLUMNS,
        escape_formulas: true,
        record_delimiter: 'windows',
      })
    );
    isFirst = false;
  }
}

async function* ndjson(_: SpaceOfWin[], read: Read): AsyncGenerator<string> {
  for await (const page of read()) yield page.map((win) => `${JSON.stringify(win)}\n`).join('');
}

/** The formats of an export. */
export const FORMATS: Record<Format, Writer> = {
  markdown: { type: 'text/markdown', extension: 'md', write: markdown },
  csv: { type: 'text/csv', extension: 'csv', write: csv },
  ndjson: { type: 'application/x-ndjson', extension: 'ndjson', write: ndjson },
};
