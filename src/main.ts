import './node-version.js';

/** The service: see `serve.ts`. */
await import('./serve.js');
