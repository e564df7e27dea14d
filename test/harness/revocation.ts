/** Milliseconds after which no instance takes a revoked token. */
const BOUND = 1_000;

/**
 * Waits for the refusal of a token that was revoked just now. Only what was sent too late must be refused: how long
 * responses take says nothing but how busy the machine is.
 */
export async function untilRefused(request: () => Promise<{ status: number }>): Promise<void> {
  const revoked = performance.now();
  for (;;) {
    const sent = performance.now();
    const { status } = await request();
    if (status === 401) return;
    if (sent - revoked > BOUND) throw new Error(`Answered with ${status} ${sent - revoked} ms after the revocation`);
  }
}
