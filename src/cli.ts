import './node-version.js';

const { lifetime } = await import('./config/lifetime.js');

await lifetime.run(async () => (await import('./cli/commands.js')).main());
