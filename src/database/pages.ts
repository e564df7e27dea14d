import { jsonArray, jsonRow, type JsonRow } from './json.js';
import { REVISION } from './revision.js';

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
    (${isRevised ? REVISION : 'select null'}) as revision, ${jsonArray(`
    select ${jsonRow(columns)} from (select * from matches order by ${order} limit $2 offset $3) match
    order by ${order}
  `)} as json`;

/** One of the columns that a list is ordered by. */
export interface SortTerm {
  /** Its name among the keys of the list. */
  column: string;
  /** What it is in the tables of the list, if that is not its name. */
  source?: string;
  /** Its type, to read it back from a cursor. */
  type: string;
  isDescending?: boolean;
}

const columnOf = ({ column }: SortTerm) => column;
const sourceOf = ({ column, source = column }: SortTerm) => source;

/** The order of a list by its terms, which are total: no two rows have the same. @param nameOf how a term is called there */
export const orderBy = (terms: SortTerm[], nameOf = columnOf) =>
  terms.map((term) => `${nameOf(term)}${term.isDescending ? ' desc' : ''}`).join(', ');

/** The condition for rows after the one whose terms are in `$3`, in a form that an index can begin with. */
export function isAfter([first, ...others]: SortTerm[], place = 1): string {
  const key = (n: number, { type }: SortTerm) => `($3::text[])[${n}]::${type}`;
  const all = [first!, ...others];
  const sign = first!.isDescending ? '<' : '>';
  if (all.every(({ isDescending = false }) => isDescending === (first!.isDescending ?? false))) {
    const keys = all.map((term, n) => key(place + n, term));
    return `(${all.map(sourceOf).join(', ')}) ${sign} (${keys.join(', ')})`;
  }
  const source = sourceOf(first!);
  const own = key(place, first!);
  return `(${source} ${sign} ${own} or (${source} = ${own} and ${isAfter(others, place + 1)}))`;
}

/** The one row of `jsonPageAfter()`. */
export interface CursorRow extends JsonRow {
  /** Where the next page begins: the terms of the last item, or of the last row that was looked at; null on the last page. */
  next: string[] | null;
  /** Whether it has as many items as were asked for. */
  isFull: boolean;
  revision: number;
}

/** A list that is read from cursor to cursor. `from` ends in a condition; the columns of the terms are among `keys`. */
interface CursorList extends Pick<List, 'given' | 'keys' | 'columns'> {
  from: string;
  terms: SortTerm[];
  /**
   * What each row is looked at for, once `from` yielded it, where no index finds those that match. A page ends after
   * `limit` rows, with fewer items than were asked for, so that it takes no longer however few match.
   */
  looked?: { check: string; limit: number; as: string };
}

/**
 * The SQL of a page that begins after a row, and costs the same wherever that is. Takes `$1` the user, `$2` the limit and
 * `$3` the terms of the row, null for the first page.
 */
function pageAfter({ given = '', keys = '*', columns, from, terms, looked }: CursorList, isFirst: boolean): string {
  const order = orderBy(terms);
  const rest = `${from} and ${isFirst ? 'true' : isAfter(terms)}`;
  const inOrder = `${rest} order by ${orderBy(terms, sourceOf)}`;
  const found = looked ? `(select * from ${inOrder} limit ${looked.limit}) ${looked.as} where ${looked.check}` : rest;
  const place = `array[${terms.map(({ column }) => `${column}::text`).join(', ')}]`;
  const lastLooked =
    looked && `select ${place} from (select ${keys} from ${inOrder} offset ${looked.limit - 1} limit 1) last`;
  return `
  with ${given && `given as (select ${given}),`} page as materialized (
    select row_number() over (order by ${order}) as place, found.* from (
      select ${keys} from ${found} order by ${order} limit $2 + 1
    ) found
  ), full_page as (select ${place} as last from page where place = $2 and exists (select from page where place > $2))
  select
    ${jsonArray(`select ${jsonRow(columns)} from page match where place <= $2 order by place`)} as json,
    coalesce((select last from full_page)${lastLooked ? `, (${lastLooked})` : ''}) as next,
    exists (select from full_page) as "isFull",
    (${REVISION} and ($3::text[] is null) = ${isFirst}) as revision`;
}

/** A list from cursor to cursor: both of its texts, and how many terms its cursors have. */
export interface CursorPages {
  /** Of the first page. */
  first: string;
  others: string;
  termCount: number;
}

/** @param rest the list after a cursor, if it can be told shorter */
export const jsonPageAfter = (list: CursorList, rest = list): CursorPages => ({
  first: pageAfter(list, true),
  others: pageAfter(rest, false),
  termCount: list.terms.length,
});
