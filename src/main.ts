import './node-version.js';

// Signals are heard before anything large is loaded: process 1 of a container gets none that it does not listen for.
const { lifetime } = await import('./config/lifetime.js');

/** The service: see `server.ts`. */
await lifetime.run(async () => (await import('./server.js')).serve());
