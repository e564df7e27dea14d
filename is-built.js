import { readdir, stat } from 'node:fs/promises';

/** Ends with 0 if `dist/` is newer than `src/` and all files beside it, so that `npm run cli` needs no build. */

const changed = async (path) => (await stat(path)).mtimeMs;

const beside = (await readdir('.', { withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name);
const sources = (await readdir('src', { recursive: true })).map((name) => `src/${name}`);
const built = await changed('dist/sbom.cdx.json').catch(() => 0); // written last
const newest = Math.max(...(await Promise.all(['src', ...sources, ...beside].map(changed))));
process.exitCode = newest < built ? 0 : 1;
