import type { ServerResponse } from 'node:http';

/** Characters that may wait to be sent, over all connections. Beyond that, the connections waiting longest are closed. */
const MAX_UNSENT = 24 * 1024 * 1024;
/** Responses up to this length are not counted. */
export const SMALL = 16 * 1024;

/** The lengths of unsent responses, oldest first. */
const unsent = new Map<ServerResponse, number>();
let total = 0;

/** Counts a response until it is sent: clients that don't read their responses must not fill the memory. */
export function countUnsent(response: ServerResponse, length: number): void {
  unsent.set(response, length);
  total += length;
  response.once('close', () => {
    if (unsent.delete(response)) total -= length;
  });
  for (const [oldest, oldestLength] of unsent) {
    if (total <= MAX_UNSENT || oldest === response) return;
    unsent.delete(oldest);
    total -= oldestLength;
    oldest.destroy();
  }
}
