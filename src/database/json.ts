/** How rows become JSON in PostgreSQL, so that the service passes on a text and never builds an object from it. */

/** A row of which only the JSON text is selected. */
export interface JsonRow {
  json: string;
}

/** The SQL of one row as JSON text. @param columns the select list, each column named as the client sees it */
export const jsonRow = (columns: string) => `(select row_to_json(r)::text from (select ${columns}) r)`;

/** The SQL of a moment as the API writes it: UTC, milliseconds, `Z`. */
export const jsonTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The columns with each moment as the API writes it. @param columns names, those of moments end in `_at` */
export const withTimes = (columns: string) =>
  columns.replace(/\b\w+_at\b/g, (column) => `${jsonTime(column)} as ${column}`);

/** A text as part of a pattern for `like`. */
export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

/** The SQL of a JSON array as text. @param items a statement that selects the JSON text of each item, in order */
export const jsonArray = (items: string) => `'[' || array_to_string(array(${items}), ',') || ']'`;

/** The statement that yields the rows of another as a JSON array. @param more what else to select, ending in a comma */
export const arrayOfRows = (rows: string, more = '') =>
  `select ${more} ${jsonArray(`select row_to_json(r)::text from (${rows}) r`)} as json`;
