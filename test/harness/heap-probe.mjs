// Loaded into a service before its own code (`node --import`): at SIGUSR2 it collects all garbage, then appends the bytes
// of heap that are left to the file HEAP_FILE, a line each.
import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  collect();
  appendFileSync(process.env.HEAP_FILE, `${process.memoryUsage().heapUsed}\n`);
});
