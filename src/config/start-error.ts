/** What keeps a program from starting or going on, told in one line that says what to do; it needs no stack. */
export class StartError extends Error {}

/** Runs a program. What it throws ends the process with code 1: in one line where it is foreseen, else with its stack. */
export async function runOrExit(program: () => Promise<unknown>): Promise<void> {
  try {
    await program();
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    process.exit(1);
  }
}
