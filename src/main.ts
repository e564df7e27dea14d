import './node-version.js';

// Signal handlers come first: as process 1 of a container, the process would ignore signals without a handler.
const { lifetime } = await import('./config/lifetime.js');

await lifetime.run(async () => (await import('./server.js')).serve());
