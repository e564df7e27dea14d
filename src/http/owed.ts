import type { ServerResponse } from 'node:http';

/** Characters of responses that wait to be sent, over all connections; beyond them the oldest connections are closed. */
const MAX_OWED = 32 * 1024 * 1024;
/** Smaller ones need no count. */
export const SMALL = 16 * 1024;

/** What is owed, oldest first, and how much that is. */
const owed = new Map<ServerResponse, number>();
let owedInAll = 0;

/** Counts a response until it is sent. Clients that do not read their responses must not fill the memory. */
export function owe(response: ServerResponse, length: number): void {
  owed.set(response, length);
  owedInAll += length;
  response.once('close', () => {
    if (owed.delete(response)) owedInAll -= length;
  });
  for (const [oldest, oldestLength] of owed) {
    if (owedInAll <= MAX_OWED || oldest === response) return;
    owed.delete(oldest);
    owedInAll -= oldestLength;
    oldest.destroy();
  }
}
