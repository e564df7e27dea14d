/** How rows become JSON in PostgreSQL, so that the service passes on a text and never builds an object from it. */

/** A row of which only its JSON text was asked for. */
export interface JsonRow {
  json: string;
}

/** The one row of `jsonPage()`. */
export interface PageRow extends JsonRow {
  total: number;
}

/** The SQL of one row as JSON text. @param columns the select list, each column named as the client sees it */
export const jsonRow = (columns: string) => `(select row_to_json(r)::text from (select ${columns}) r)`;

/** A list, as the parts of the SQL that read it. */
interface List {
  /** The select list over a row called `item`, each column named as the client sees it. */
  columns: string;
  /** The tables and the condition. */
  from: string;
  /** Total, so that each row is on exactly one page. */
  order: string;
  /** The SQL of how many rows `from` has, where there is a shorter way than counting them. */
  total?: string;
}

/**
 * The SQL of one page of a list: its items as JSON text, and the `total` of all pages in the same snapshot. Takes `$1`
 * the user, `$2` the limit and `$3` the offset. Rows of earlier pages are only walked past, never written out.
 */
export const jsonPage = ({ columns, from, order, total = `select count(*) from ${from}` }: List) => `
  select (${total}) as total, '[' || array_to_string(array(
    select ${jsonRow(columns)} from (select * from ${from} order by ${order} limit $2 offset $3) item
    order by ${order}
  ), ',') || ']' as json`;

/** The SQL of a moment as the API writes it: UTC, milliseconds, `Z`. */
export const jsonTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
