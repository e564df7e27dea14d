import { WinsError, type Input } from 'wins-client';
import { wins } from './api.js';

/** Wins that are still to be sent. They outlive the page: what is recorded in a tunnel is sent at home. */

interface Entry {
  /** The `Idempotency-Key`. Whatever is lost on the way, the same key creates the win once. */
  key: string;
  input: Input<'createWin'>;
}

export const waiting = (): Entry[] => JSON.parse(localStorage.getItem('waiting') ?? '[]');

const save = (entries: Entry[]) => localStorage.setItem('waiting', JSON.stringify(entries));

export const enqueue = (input: Input<'createWin'>): void => save([...waiting(), { key: crypto.randomUUID(), input }]);

let isSending = false;

/**
 * Sends what waits, in order, until something can't be sent now.
 *
 * @param onRefused called for what the service will never accept, which is taken from the queue
 */
export async function flush(onRefused: (error: WinsError, input: Input<'createWin'>) => void): Promise<void> {
  if (isSending) return;
  isSending = true;
  try {
    for (let [entry] = waiting(); entry !== undefined; [entry] = waiting()) {
      const { key, input } = entry;
      try {
        await wins.createWin(input, { headers: { 'Idempotency-Key': key } });
      } catch (error) {
        const isFinal = error instanceof WinsError && error.status < 500 && ![401, 409, 429].includes(error.status);
        if (!isFinal) return;
        onRefused(error, input);
      }
      save(waiting().filter((other) => other.key !== key));
    }
  } finally {
    isSending = false;
  }
}
