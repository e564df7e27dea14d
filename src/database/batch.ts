import { DatabaseError, type PoolClient } from 'pg';
import { gather, isWorthRetry, LATENESS } from './queries.js';
import { AGAIN, type Passenger, type Statement } from './turns.js';

/** How many short writes of a user are sent at once. */
export const BATCH = 8;

/** Milliseconds that each but the first waits for a lock: else, behind a lock that stays, their waits would add up. */
const PASSENGER_LOCK_TIMEOUT = 100;

const isLocked = (error: unknown) => error instanceof DatabaseError && error.code === '55P03';

/**
 * Sends short writes of a user over one session, without waiting for the answers to those before (the driver's pipeline
 * mode). Each is a transaction by itself.
 *
 * @param first its lock time-out is the session's
 * @returns the rows of the first, once all are answered
 */
export async function sendBatch<Row extends object>(
  session: PoolClient,
  first: Statement,
  passengers: Passenger[],
  timeout: number,
): Promise<Row[]> {
  const deadline = setTimeout(() => session.connection.stream.destroy(), timeout + LATENESS);
  const send = async ({ text, values }: Statement) => {
    try {
      return (await session.query<Row>(text, [...values])).rows;
    } finally {
      deadline.refresh(); // the next one has its turn
    }
  };
  void gather(session);
  const sent: Promise<unknown>[] = [send(first)];
  if (passengers.length > 0) {
    const wasLocked = sent[0]!.then(() => false, isLocked);
    const rows = async (passenger: Passenger) => {
      try {
        return await send(passenger);
      } catch (error) {
        if (isWorthRetry(error) || (isLocked(error) && !(await wasLocked))) return AGAIN;
        throw error;
      }
    };
    sent.push(session.query(`set lock_timeout = ${PASSENGER_LOCK_TIMEOUT}`));
    for (const passenger of passengers) {
      const answer = rows(passenger);
      passenger.answer(answer);
      sent.push(answer);
    }
    sent.push(session.query('reset lock_timeout'));
  }
  await Promise.allSettled(sent);
  clearTimeout(deadline);
  return sent[0] as Promise<Row[]>;
}
