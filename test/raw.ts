import { connect } from 'node:net';
import type { Answer } from './client.js';

/**
 * Sends bytes as they are, which `fetch` would mend or refuse, and reads until the service closes the connection.
 *
 * @param parts what to send, one after the other
 */
export async function exchange(url: string, ...parts: (string | Uint8Array)[]): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const received = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.on('data', (chunk) => chunks.push(chunk));
    // A service that refuses early stops reading, so that what is sent after its answer may fail.
    socket.on('error', (error) => chunks.length === 0 && reject(error));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    for (const part of parts) socket.write(part);
  });
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [statusLine = '', ...fields] = head.split('\r\n');
  const text = rest.join('\r\n\r\n');
  const headers = new Headers(
    fields.map((field): [string, string] => [field.split(':', 1)[0]!, field.replace(/^.*?: */, '')]),
  );
  const isJson = headers.get('content-type')?.startsWith('application/json') && text !== '';
  return { status: Number(statusLine.split(' ')[1]), headers, text, body: isJson ? JSON.parse(text) : undefined };
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
