import './node-version.js';

const { lifetime } = await import('./config/lifetime.js');

/** The operator's command line: see `cli/commands.ts`. */
await lifetime.run(async () => (await import('./cli/commands.js')).main());
