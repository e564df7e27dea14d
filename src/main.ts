import './node-version.js';
import { setFlagsFromString } from 'node:v8';

// V8 would put rows of PostgreSQL where only a full collection finds them, and with each row its text: 30 MB under load.
setFlagsFromString('--no-allocation-site-pretenuring');

// Signal handlers come first: as process 1 of a container, the process would ignore signals without a handler.
const { lifetime } = await import('./config/lifetime.js');

await lifetime.run(async () => (await import('./server.js')).serve());
