import { connect } from 'node:net';
import type { Answer } from './client.js';

/**
 * Sends bytes as they are, which `fetch` would mend or refuse, and reads until the service closes the connection.
 *
 * @param parts what to send, one after the other
 */
export async function exchange(url: string, ...parts: (string | Uint8Array)[]): Promise<Answer> {
  return answersIn(await converse(url, parts))[0]!;
}

/**
 * Sends bytes and reads until the service closes the connection.
 *
 * @param patience milliseconds of silence after which the client says that it sends no more; never if left out
 */
export function converse(url: string, parts: (string | Uint8Array)[], patience = 0): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    if (patience > 0) socket.setTimeout(patience, () => socket.end());
    socket.on('data', (chunk) => chunks.push(chunk));
    // A service that refuses early stops reading, so that what is sent after its answer may fail.
    socket.on('error', (error) => chunks.length === 0 && reject(error));
    socket.on('close', () => resolve(Buffer.concat(chunks)));
    for (const part of parts) socket.write(part);
  });
}

/** The final answers in what a service sent, one after the other. The answer to a HEAD has no body. */
export function answersIn(received: Buffer): Answer[] {
  const answers: Answer[] = [];
  for (let rest = received; rest.length > 0;) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...fields] = rest.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (end === -1 || Number.isNaN(status)) throw new Error(`This is no answer: ${rest.toString('latin1')}`);
    const headers = new Headers(
      fields.map((field): [string, string] => [field.split(':', 1)[0]!, field.replace(/^.*?: */, '')]),
    );
    rest = rest.subarray(end + 4);
    if (status < 200) continue;
    const isBare = rest.length === 0 || rest.indexOf('HTTP/1.1 ') === 0;
    const length = isBare ? 0 : Number(headers.get('content-length') ?? rest.length);
    if (length > rest.length) throw new Error(`This answer was cut off: ${rest.toString()}`);
    const text = rest.toString('utf8', 0, length);
    const isJson = headers.get('content-type')?.startsWith('application/json') && text !== '';
    answers.push({ status, headers, text, body: isJson ? JSON.parse(text) : undefined });
    rest = rest.subarray(length);
  }
  return answers;
}

/** A request as it goes over the wire, after which the service closes the connection. */
export const rawRequest = (method: string, target: string, headers: Record<string, string> = {}, body = '') =>
  [
    `${method} ${target} HTTP/1.1`,
    ...Object.entries({ host: 'localhost', connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '',
    body,
  ].join('\r\n');
