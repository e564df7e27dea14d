/** What keeps a program from starting or going on, told in one line that says what to do; it needs no stack. */
export class StartError extends Error {}
