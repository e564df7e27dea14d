import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the answer is yes. @throws after `deadline` milliseconds */
export async function until(condition: () => Promise<boolean> | boolean, deadline = 15_000): Promise<void> {
  const end = Date.now() + deadline;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Not within ${deadline} ms: ${condition}`);
    await sleep(20);
  }
}
