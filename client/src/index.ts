import createHttp from 'openapi-fetch';
import { WinsError } from './error.js';
import type { operations } from './generated/document.js';
import { routes } from './generated/routes.js';

export { WinsError, type ErrorCode, type Fault } from './error.js';
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
  fetch?: (request: Request) => Promise<Response>;
}

/** Further options of a call: `signal` to abort it, `headers`, `cache` and so on. */
export type RequestOptions = Omit<RequestInit, 'method' | 'body'>;

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

/**
 * The result of listing: `await` returns the requested page, `for await` iterates over all items from that page on, page
 * by page. Items inserted or deleted during the iteration shift the pages, so that one may come twice or not at all.
 */
export interface List<Item> extends Promise<Page<Item>>, AsyncIterable<Item> {}

type Json<Message, Otherwise> = Message extends { content: { 'application/json': infer Body } } ? Body : Otherwise;
type Fields<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
type Flat<T> = { [Key in keyof T]: T[Key] };

/** A parameter that may be repeated: one value is as good as an array of one. */
type OneOrMore<T> = { [Key in keyof T]: T[Key] | (NonNullable<T[Key]> extends readonly (infer Item)[] ? Item : never) };

/** The input of an operation in one object: its path parameters, and its query or body. */
export type Input<Id extends Operation> = Flat<
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

type Method<Id extends Operation> =
  Record<never, never> extends Input<Id>
    ? (
        input?: keyof Input<Id> extends never ? Record<string, never> : Input<Id>,
        options?: RequestOptions,
      ) => Result<Id>
    : (input: Input<Id>, options?: RequestOptions) => Result<Id>;

/** One method per operation of the service. */
export type Client = { readonly [Id in keyof typeof routes]: Method<Id> };

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
export function createClient({ baseUrl, token, fetch }: ClientOptions): Client {
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

  async function send({ method, path, isFile }: Route, input: AnyInput, options?: RequestOptions): Promise<Reply> {
    const fields = Object.entries(input).filter(([name]) => !path.includes(`{${name}}`));
    const rest = fields.length > 0 && Object.fromEntries(fields);
    const hasQuery = method === 'get' || method === 'delete';
    const { data, error, response } = await http.request(method, path, {
      ...options,
      params: { path: input, ...(rest && hasQuery && { query: rest }) },
      ...(rest && !hasQuery && { body: rest }),
      parseAs: isFile ? 'stream' : 'text',
    });
    if (!response.ok) throw new WinsError(response, error);
    if (isFile) return { response, body: response };
    return { response, body: response.status === 204 ? undefined : parse(data as string | undefined, response) };
  }

  function list(route: Route, input: AnyInput, options?: RequestOptions): List<unknown> {
    const load = async (query: AnyInput) => pageOf(await send(route, query, options));
    const first = load(input);
    return Object.assign(first, {
      async *[Symbol.asyncIterator]() {
        for (let page = await first; ; page = await load({ ...input, page: page.page + 1 })) {
          yield* page.items;
          if (page.page >= page.lastPage) return;
        }
      },
    });
  }

  const methods = Object.entries(routes).map(([operation, route]) => [
    operation,
    (input: AnyInput = {}, options?: RequestOptions) =>
      route.isList ? list(route, input, options) : send(route, input, options).then(({ body }) => body),
  ]);
  return Object.fromEntries(methods);
}

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
