/** Takes down what a program set up: added as it is set up, run in reverse, whatever ends the program. */
export type Defer = (step: () => Promise<unknown>) => void;

/** Runs a program, then what it deferred, also when it throws or is told to stop. Ends the process if it was. */
export async function withCleanup(program: (defer: Defer) => Promise<void>): Promise<void> {
  const steps: (() => Promise<unknown>)[] = [];
  let cleaning: Promise<void> | undefined;
  const cleanUp = () =>
    (cleaning ??= (async () => {
      while (steps.length > 0) await steps.pop()!().catch(console.error);
    })());
  const stop = (signal: NodeJS.Signals) => {
    console.error(`${signal}: stopping`);
    void cleanUp().then(() => process.exit(130));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await program((step) => steps.push(step));
  } catch (error) {
    if (cleaning === undefined) console.error(error); // else it was cut short
    process.exitCode = 1;
  } finally {
    await cleanUp();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
