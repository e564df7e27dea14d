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
  /** Where the service is, with its path prefix if it has one. In a browser `''` is the origin of the page. */
  baseUrl: string;
  /** The API token, or a function that is asked for it before every request. Without one the service answers 401. */
  token: MaybeToken | (() => MaybeToken | Promise<MaybeToken>);
  /** Sends the requests instead of the platform's `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** What a call may have besides its input: `signal` to abort it, `headers`, `cache` and the like. */
export type RequestOptions = Omit<RequestInit, 'method' | 'body'>;

/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** How many items all pages have. */
  total: number;
  /** The number of this page, from 1. */
  page: number;
  /** How many items a page has, but for the last. */
  perPage: number;
  /** The number of the last page, at least 1. */
  lastPage: number;
}

/**
 * A list that was asked for: `await` gives that page, `for await` each item from there to the end, page by page. What is
 * inserted or deleted meanwhile shifts the pages, so that an item may come twice or not at all.
 */
export interface List<Item> extends Promise<Page<Item>>, AsyncIterable<Item> {}

type Json<Message, Otherwise> = Message extends { content: { 'application/json': infer Body } } ? Body : Otherwise;
type Fields<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
type Flat<T> = { [Key in keyof T]: T[Key] };

/** What an operation takes, in one object: the names in its path, and its query or the body. */
export type Input<Id extends Operation> = Flat<
  Fields<operations[Id]['parameters']['path']> &
    Fields<operations[Id]['parameters']['query']> &
    Json<operations[Id]['requestBody'], unknown>
>;

type Success<Responses> = Responses[keyof Responses & (200 | 201 | 204)];

/** What an operation answers with: a resource, an array of them, or nothing. */
export type Output<Id extends Operation> = Json<Success<operations[Id]['responses']>, void>;

type Result<Id extends Operation> = Output<Id> extends (infer Item)[] ? List<Item> : Promise<Output<Id>>;

type Method<Id extends Operation> =
  Record<never, never> extends Input<Id>
    ? (
        input?: keyof Input<Id> extends never ? Record<string, never> : Input<Id>,
        options?: RequestOptions,
      ) => Result<Id>
    : (input: Input<Id>, options?: RequestOptions) => Result<Id>;

/** The service, with a method for each of its operations. */
export type Client = { readonly [Id in keyof typeof routes]: Method<Id> };

type Route = (typeof routes)[Operation];
type AnyInput = Record<string, unknown>;

/** What openapi-fetch has to know of an operation that is only chosen when it is called. */
interface AnyOperation {
  parameters: { path: AnyInput; query?: AnyInput };
  requestBody?: { content: { 'application/json': AnyInput } };
  responses: Record<number, never>;
}

/**
 * A client of the service. Each method throws a {@link WinsError} for an answer that is not the one asked for. What
 * `fetch` throws passes: a `TypeError` if there is no answer at all, the reason of the signal if it was aborted.
 */
export function createClient({ baseUrl, token, fetch }: ClientOptions): Client {
  const http = createHttp<Record<string, Record<Route['method'], AnyOperation>>>({
    baseUrl,
    // Looked up at each request, so that what replaces it later, as in tests, is used.
    fetch: fetch ?? ((request) => globalThis.fetch(request)),
  });
  http.use({
    async onRequest({ request }) {
      const bearer = typeof token === 'function' ? await token() : token;
      if (bearer) request.headers.set('Authorization', `Bearer ${bearer}`);
    },
  });

  async function send({ method, path }: Route, input: AnyInput, options?: RequestOptions): Promise<Answer> {
    const fields = Object.entries(input).filter(([name]) => !path.includes(`{${name}}`));
    const rest = fields.length > 0 && Object.fromEntries(fields);
    const { data, error, response } = await http.request(method, path, {
      ...options,
      params: { path: input, ...(rest && method === 'get' && { query: rest }) },
      ...(rest && method !== 'get' && { body: rest }),
      parseAs: 'text',
    });
    if (!response.ok) throw new WinsError(response, error);
    return { response, body: response.status === 204 ? undefined : parse(data, response) };
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

interface Answer {
  response: Response;
  body: unknown;
}

/** @throws WinsError if the text is not JSON, such as a start page that is answered for every path */
function parse(text: string | undefined, response: Response): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw new WinsError(response, text);
  }
}

/** @throws WinsError if it is no page of a list, or its headers can't be read, without which the end is not known */
function pageOf({ response, body }: Answer): Page<unknown> {
  const count = (header: string) => Number(response.headers.get(header) ?? NaN);
  const [total, page, perPage] = [count('X-Total-Count'), count('X-Page'), count('X-Per-Page')];
  if (!Array.isArray(body) || !(total >= 0 && page >= 1 && perPage >= 1)) throw new WinsError(response, body);
  return { items: body, total, page, perPage, lastPage: Math.max(1, Math.ceil(total / perPage)) };
}
