/**
 * A value of type `T` that PostgreSQL has already written as JSON. It goes to the client as it is: parsing the text
 * and writing it again is most of what a request would cost here.
 */
export class Json<T> {
  /** Only for the compiler: a `Json<Tag>` isn't a `Json<Space>`. */
  declare protected readonly type: T;

  constructor(readonly text: string) {}
}

/** A resource that was just created; its response carries `Location`. */
export class Created<T> extends Json<T> {
  constructor(
    text: string,
    readonly id: number,
  ) {
    super(text);
  }
}

/** A resource that was just created, with a secret that no later response has. */
export class Issued<T> extends Created<T> {
  /** @param stored what later responses have */
  constructor(
    text: string,
    id: number,
    readonly stored: Json<unknown>,
  ) {
    super(text, id);
  }
}

/** A resource that changes only with the user's revision. */
export class Revised<T> extends Json<T> {
  constructor(
    text: string,
    /** The user's revision when it was read. */
    readonly revision: number,
  ) {
    super(text);
  }
}

/** One page of a list that is read from cursor to cursor; its response carries the next cursor. */
export class CursorPage<T> extends Revised<T[]> {
  constructor(
    text: string,
    /** Where the next page begins; absent on the last one. */
    readonly next: string | undefined,
    /** Whether it has as many items as were asked for, and more follow. */
    readonly isFull: boolean,
    readonly perPage: number,
    revision: number,
  ) {
    super(text, revision);
  }
}

/** One page of a list; its response carries the paging headers. */
export class Page<T> extends Json<T[]> {
  constructor(
    text: string,
    readonly total: number,
    readonly page: number,
    readonly perPage: number,
    /** The user's revision when it was read, if the page changes with that. */
    readonly revision?: number,
  ) {
    super(text);
  }

  get lastPage(): number {
    return Math.max(1, Math.ceil(this.total / this.perPage));
  }
}
