/** What a call sends besides its method and path. */
export interface Request {
  token?: string;
  json?: unknown;
  signal?: AbortSignal;
}

/** Calls the service; fails where there is no answer. */
export async function call(url: string, method: string, path: string, { token, json, signal }: Request = {}) {
  const response = await fetch(url + path, {
    method,
    signal,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** Whether a health check does. */
export const succeeds = (url: string) =>
  call(url, 'GET', '', { signal: AbortSignal.timeout(5_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );
