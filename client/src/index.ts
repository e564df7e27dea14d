import createHttp from 'openapi-fetch';
import { WinsError } from './error.js';
import type { operations } from './generated/document.js';
import { routes } from './generated/routes.js';

export { WinsError, type ErrorCode, type Fault, type FaultCode } from './error.js';
export type * from './generated/models.js';

/** The name of an operation, such as `listTags`. */
export type Operation = keyof operations;

type MaybeToken = string | null | undefined;

export interface ClientOptions {
  /** The URL of the service, with its path prefix if it has one. In a browser `''` is the page's own origin. */
  baseUrl: string;
  /** The API token, or a function called for it before every request. Without a token the service responds with 401. */
  token: MaybeToken | (() => MaybeToken | Promise<MaybeToken>);
  /** Used instead of the platform's `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * How often a request is repeated that got no response, or one that says to try again: 2 if omitted. A POST is repeated
   * with the same `Idempotency-Key`, so that it is done once.
   */
  retries?: number | undefined;
  /** Milliseconds that each try may take, 30,000 if omitted; files may take longer. */
  timeout?: number | undefined;
  /** Called for every 401, before it is thrown: the place to ask for a new token. */
  onUnauthenticated?: ((error: WinsError) => void) | undefined;
}

/** Further options of a call: `signal` to abort it, `headers`, `cache` and so on. */
export interface RequestOptions extends Omit<RequestInit, 'method' | 'body'> {
  /** Is given each successful response, to read its headers, such as `ETag`. The body has been read already. */
  onResponse?: ((response: Response) => void) | undefined;
}

export interface Page<Item> {
  items: Item[];
  /** The number of items on all pages. */
  total: number;
  /** The number of this page, from 1. */
  page: number;
  /** The number of items on every page but the last. */
  perPage: number;
  /** The number of the last page, at least 1. */
  lastPage: number;
}

/** A page that was asked for by its cursor, `after`: `''` for the first one. Nothing is counted for it. */
export interface CursorPage<Item> {
  items: Item[];
  /** The `after` of the next page; `undefined` if this is the last. */
  next: string | undefined;
}

/**
 * The result of listing: `await` returns the requested page, `for await` iterates over all items, page by page. Lists that
 * have cursors are read by them, unless a `page` is asked for: no item comes twice or is missed, as long as it keeps its
 * place in the order. Nothing is sent before one of them.
 */
export interface List<Item, Of = Page<Item>> extends Promise<Of>, AsyncIterable<Item> {}

type Json<Message, Otherwise> = Message extends { content: { 'application/json': infer Body } } ? Body : Otherwise;
type Fields<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;

/** A parameter that may be repeated: one value is as good as an array of one. */
type OneOrMore<T> = { [Key in keyof T]: T[Key] | (NonNullable<T[Key]> extends readonly (infer Item)[] ? Item : never) };

/** With `undefined` for what may be left out, also below `exactOptionalPropertyTypes`. */
type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? { [Key in keyof T]: Loose<T[Key]> | (Record<never, never> extends Pick<T, Key> ? undefined : never) }
    : T;

/** The input of an operation in one object: its path parameters, and its query or body. */
export type Input<Id extends Operation> = Loose<
  Fields<operations[Id]['parameters']['path']> &
    OneOrMore<Fields<operations[Id]['parameters']['query']>> &
    Json<operations[Id]['requestBody'], unknown>
>;

type Success<Responses> = Responses[keyof Responses & (200 | 201 | 204)];

/** The result of an operation: a resource, an array of them, nothing, or a response whose body is a file. */
export type Output<Id extends Operation> = (typeof routes)[Id]['isFile'] extends true
  ? Response
  : Json<Success<operations[Id]['responses']>, void>;

type Result<Id extends Operation> = Output<Id> extends (infer Item)[] ? List<Item> : Promise<Output<Id>>;

/** With a cursor a list is read from there: `await` returns that page and the next cursor, `for await` all that follows. */
type CursorMethod<Id extends Operation> =
  Output<Id> extends (infer Item)[]
    ? (input: Input<Id> & { after: string }, options?: RequestOptions) => List<Item, CursorPage<Item>>
    : never;

type Method<Id extends Operation> = (typeof routes)[Id]['hasInput'] extends false
  ? (options?: RequestOptions) => Result<Id>
  : Record<never, never> extends Input<Id>
    ? (input?: Input<Id>, options?: RequestOptions) => Result<Id>
    : (input: Input<Id>, options?: RequestOptions) => Result<Id>;

/** One method per operation of the service. */
export type Client = {
  readonly [Id in Operation]: (typeof routes)[Id]['hasCursor'] extends true
    ? CursorMethod<Id> & Method<Id>
    : Method<Id>;
} & {
  /**
   * Everything that has changed since, page by page, until there is no more. The `next` of the last page is the `since` of
   * the next call.
   */
  changes(input?: Input<'listChanges'>, options?: RequestOptions): AsyncGenerator<Output<'listChanges'>, void>;
};

type AnyPage = Page<unknown> | CursorPage<unknown>;
type Route = (typeof routes)[Operation];
type AnyInput = Record<string, unknown>;

/** The type that openapi-fetch needs of an operation that is chosen at run time. */
interface AnyOperation {
  parameters: { path: AnyInput; query?: AnyInput };
  requestBody?: { content: { 'application/json': AnyInput } };
  responses: Record<number, never>;
}

/**
 * Creates a client. Its methods throw a {@link WinsError} for every response that isn't a success, and whatever `fetch`
 * throws: a `TypeError` if there is no response at all, the signal's reason if the call was aborted.
 */
export function createClient({
  baseUrl,
  token,
  fetch,
  retries = 2,
  timeout = 30_000,
  onUnauthenticated,
}: ClientOptions): Client {
  const http = createHttp<Record<string, Record<Route['method'], AnyOperation>>>({
    baseUrl,
    // Looked up at each call, so that a later replacement, as in tests, is used.
    fetch: fetch ?? ((request) => globalThis.fetch(request)),
  });
  http.use({
    async onRequest({ request }) {
      const bearer = typeof token === 'function' ? await token() : token;
      if (bearer) request.headers.set('Authorization', `Bearer ${bearer}`);
    },
  });

  async function send(route: Route, input: AnyInput, options: RequestOptions = {}): Promise<Reply> {
    const { onResponse, ...init } = options;
    const headers = new Headers(init.headers);
    if (route.method === 'post' && !headers.has('Idempotency-Key')) headers.set('Idempotency-Key', newKey());
    // If it was done without a response, a second try would find the resource changed.
    const tries = headers.has('If-Match') ? 1 : 1 + retries;
    for (let attempt = 1; ; attempt++) {
      try {
        const reply = await sendOnce(route, input, { ...init, headers });
        onResponse?.(reply.response);
        return reply;
      } catch (error) {
        if (error instanceof WinsError && error.code === 'unauthenticated') onUnauthenticated?.(error);
        // An earlier try has deleted it.
        if (attempt > 1 && route.method === 'delete' && error instanceof WinsError && error.status === 404)
          return { response: Response.error(), body: undefined };
        const wait = attempt < tries ? pauseAfter(error, attempt) : undefined;
        if (wait === undefined || init.signal?.aborted) throw error;
        await pause(wait, init.signal);
      }
    }
  }

  async function sendOnce(
    { method, path, isFile }: Route,
    input: AnyInput,
    init: Omit<RequestInit, 'body' | 'method'>,
  ): Promise<Reply> {
    const fields = Object.entries(input).filter(([name]) => !path.includes(`{${name}}`));
    const rest = fields.length > 0 && Object.fromEntries(fields);
    const hasQuery = method === 'get' || method === 'delete';
    const signals = [init.signal, isFile ? undefined : AbortSignal.timeout(timeout)].filter((signal) => !!signal);
    const { data, error, response } = await http.request(method, path, {
      ...init,
      signal: AbortSignal.any(signals),
      params: { path: input, ...(rest && hasQuery && { query: rest }) },
      ...(rest && !hasQuery && { body: rest }),
      parseAs: isFile ? 'stream' : 'text',
    });
    if (!response.ok) throw new WinsError(response, error);
    if (isFile) return { response, body: response };
    return { response, body: response.status === 204 ? undefined : parse(data as string | undefined, response) };
  }

  function list(route: Route, input: AnyInput, options?: RequestOptions): List<unknown, AnyPage> {
    const load = async (query: AnyInput) => pageOf(await send(route, query, options));
    const loadAfter = async (after: string) => cursorPageOf(await send(route, { ...input, after }, options));
    const start = input.after as string | undefined;
    const first = new Lazy<AnyPage>(() => (start === undefined ? load(input) : loadAfter(start)));
    return Object.assign(first, {
      async *[Symbol.asyncIterator]() {
        if (start !== undefined || (route.hasCursor && input.page === undefined)) {
          for (let after = start ?? ''; ;) {
            const { items, next } = await loadAfter(after);
            yield* items;
            if (next === undefined) return;
            after = next;
          }
        } else {
          for (let page = (await first) as Page<unknown>; ; page = await load({ ...input, page: page.page + 1 })) {
            yield* page.items;
            if (page.page >= page.lastPage) return;
          }
        }
      },
    });
  }

  async function* changes({ since, ...input }: Input<'listChanges'> = {}, options?: RequestOptions) {
    for (let hasMore = true; hasMore;) {
      const { body } = await send(routes.listChanges, { ...input, ...(since && { since }) }, options);
      const page = body as Output<'listChanges'>;
      yield page;
      since = page.next;
      hasMore = page.has_more;
    }
  }

  const methods = Object.entries(routes).map(([operation, route]) => {
    const call = (input: AnyInput = {}, options?: RequestOptions) =>
      route.isList ? list(route, input, options) : send(route, input, options).then(({ body }) => body);
    return [operation, route.hasInput ? call : (options?: RequestOptions) => call({}, options)];
  });
  return { ...Object.fromEntries(methods), changes };
}

/** A promise of what is loaded once somebody waits for it. */
class Lazy<Value> extends Promise<Value> {
  static override get [Symbol.species]() {
    return Promise;
  }

  readonly #start: () => void;

  constructor(load: () => Promise<Value>) {
    let resolve: (value: Promise<Value>) => void;
    super((done) => (resolve = done));
    let loading: Promise<Value> | undefined;
    this.#start = () => resolve((loading ??= load()));
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  override then: Promise<Value>['then'] = (...handlers) => {
    this.#start();
    return super.then(...handlers);
  };
}

/** A name that nothing else has; `crypto.randomUUID()` is only there on secure pages. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join('-');

/** Seconds beyond which waiting is left to the caller. */
const MAX_RETRY_AFTER = 10;

/** @returns milliseconds to wait before the next try; `undefined` if that can't help */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  const backoff = (Math.random() + 0.5) * 200 * 2 ** attempt;
  if (!(error instanceof WinsError)) return backoff; // no response
  const { status, retryAfter = 0 } = error;
  if (![409, 429, 502, 503, 504].includes(status) || error.code === 'already_created') return undefined;
  return retryAfter > MAX_RETRY_AFTER ? undefined : Math.max(backoff, retryAfter * 1_000);
}

/** Waits, unless the call is aborted. */
const pause = (milliseconds: number, signal: AbortSignal | null | undefined) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

interface Reply {
  response: Response;
  body: unknown;
}

/** @throws WinsError if the text isn't JSON, such as a start page that a server sends for every path */
function parse(text: string | undefined, response: Response): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw new WinsError(response, text);
  }
}

/** @throws WinsError if it isn't a list, or its paging headers are unreadable, which leaves the end unknown */
function pageOf({ response, body }: Reply): Page<unknown> {
  const count = (header: string) => Number(response.headers.get(header) ?? NaN);
  const [total, page, perPage] = [count('X-Total-Count'), count('X-Page'), count('X-Per-Page')];
  if (!Array.isArray(body) || !(total >= 0 && page >= 1 && perPage >= 1)) throw new WinsError(response, body);
  return { items: body, total, page, perPage, lastPage: Math.max(1, Math.ceil(total / perPage)) };
}

/** @throws WinsError if it isn't a list, or its paging headers are unreadable, which leaves the end unknown */
function cursorPageOf({ response, body }: Reply): CursorPage<unknown> {
  const next = response.headers.get('X-Next-Cursor') ?? undefined;
  const isReadable = next !== undefined || (response.headers.has('X-Per-Page') && !response.headers.has('Link'));
  if (!Array.isArray(body) || !isReadable) throw new WinsError(response, body);
  return { items: body, next };
}
