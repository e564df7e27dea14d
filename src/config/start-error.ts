/** An error with a known cause. Its message says why the program fails and what to do, so it is shown without a stack. */
export class StartError extends Error {}
