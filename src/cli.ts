import './node-version.js';

/** The operator's command line: see `commands.ts`. */
await import('./commands.js');
