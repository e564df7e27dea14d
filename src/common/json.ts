/**
 * A value of type `T` that PostgreSQL has already written as JSON. It goes to the client as it is: parsing the text
 * and writing it again is most of what a request would cost here.
 */
export class Json<T> {
  /** Only for the compiler: a `Json<Tag>` is no `Json<Space>`. */
  declare protected readonly type: T;

  constructor(readonly text: string) {}
}

/** A resource that was just made; its answer carries `Location`. */
export class Created<T> extends Json<T> {
  constructor(
    text: string,
    readonly id: number,
  ) {
    super(text);
  }
}

/** One page of a list; its answer carries the paging headers. */
export class Page<T> extends Json<T[]> {
  constructor(
    text: string,
    readonly total: number,
    readonly page: number,
    readonly perPage: number,
  ) {
    super(text);
  }

  get lastPage(): number {
    return Math.max(1, Math.ceil(this.total / this.perPage));
  }
}

/** The SQL of one row as JSON text. @param columns the select list, each column named as the client sees it */
export const jsonRow = (columns: string) => `(select row_to_json(r)::text from (select ${columns}) r)`;

/** The SQL of a list as JSON text. @param query selects `jsonRow(…)`, in order */
export const jsonArray = (query: string) => `'[' || array_to_string(array(${query}), ',') || ']'`;

/** The SQL of a moment as the API writes it: UTC, milliseconds, `Z`. */
export const jsonTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
