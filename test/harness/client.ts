import { expectDocumented } from './document.js';

/** An answer of the API, already held against the OpenAPI document. */
export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
  text: string;
}

interface RequestOptions {
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  raw?: string | Uint8Array<ArrayBuffer>;
}

/** Calls the API over real HTTP. Every answer must be one that the committed OpenAPI document describes. */
export class Client {
  constructor(
    private readonly url: string,
    private readonly token?: string,
  ) {}

  get = <T>(path: string, options?: RequestOptions) => this.request<T>('GET', path, options);
  head = (path: string, options?: RequestOptions) => this.request<undefined>('HEAD', path, options);
  delete = <T = undefined>(path: string, options?: RequestOptions) => this.request<T>('DELETE', path, options);
  post = <T>(path: string, json?: unknown, options?: RequestOptions) =>
    this.request<T>('POST', path, { json, ...options });
  put = <T>(path: string, json?: unknown, options?: RequestOptions) =>
    this.request<T>('PUT', path, { json, ...options });
  patch = <T>(path: string, json?: unknown, options?: RequestOptions) =>
    this.request<T>('PATCH', path, { json, ...options });

  async request<T>(method: string, path: string, { headers = {}, json, raw }: RequestOptions = {}): Promise<Answer<T>> {
    const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
    const response = await fetch(this.url + path, {
      method,
      body,
      headers: {
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    // With the mark at its begin, if there is one.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? true;
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: (text === '' ? undefined : isJson ? JSON.parse(text) : text) as T,
    };
    expectDocumented(method, path, answer);
    return answer;
  }
}
