import { jsonRow, type JsonRow } from './json.js';

/** Which page of a list, from 1, and how many items it has at most. */
export interface PageRequest {
  page: number;
  per_page: number;
}

/** The one row of `jsonPage()`. */
export interface PageRow extends JsonRow {
  total: number;
  revision: number | null;
}

/** Rows before a page from which on walking past them takes long. */
const DEEP = 1_000;

/** How many rows precede a page. */
export const offsetOf = ({ page, per_page }: PageRequest): number => (page - 1) * per_page;

/** Whether walking past the rows before a page takes long. */
export const isDeep = (page: PageRequest): boolean => offsetOf(page) > DEEP;

/** A list, as the parts of the SQL that read it. */
interface List {
  /** Parameters beyond those of every page, each with its type, so that all ways to a list take the same ones. */
  given?: string;
  /** The columns that identify and order a row; all by default. */
  keys?: string;
  /** The tables and the condition. */
  from: string;
  /** Total, so that each row is on exactly one page. Over the keys. */
  order: string;
  /** The select list over the keys, called `match`, each column named as the client sees it; with a `from` to find more. */
  columns: string;
  /** The SQL of how many rows `from` has, where there is a shorter way than counting them. */
  total?: string;
  /** Whether what it shows changes only with the user's revision. */
  isRevised?: boolean;
  /** Whether to find all matches once, count and sort them: where no index yields them in order. */
  isUnordered?: boolean;
}

/**
 * The SQL of one page of a list: its items as JSON text, and the `total` of all pages in the same snapshot. Takes `$1`
 * the user, `$2` the limit and `$3` the offset. Rows of earlier pages are only walked past, never written out.
 */
export const jsonPage = ({
  given = '',
  keys = '*',
  from,
  order,
  columns,
  total,
  isRevised = false,
  isUnordered = false,
}: List) => `
  with ${given && `given as (select ${given}),`} matches as ${isUnordered ? 'materialized' : 'not materialized'} (select ${keys} from ${from})
  select (${total ?? 'select count(*) from matches'}) as total,
    (${isRevised ? 'select revision from users where id = $1' : 'select null'}) as revision, '[' || array_to_string(array(
    select ${jsonRow(columns)} from (select * from matches order by ${order} limit $2 offset $3) match
    order by ${order}
  ), ',') || ']' as json`;
