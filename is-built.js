import { readdir, stat } from 'node:fs/promises';

/** Ends with 0 if `dist/` is newer than all that it is built from, so that `npm run cli` needs no build. */

const CONFIGURATION = [
  'package-lock.json',
  'package.json',
  'esbuild.config.js',
  'tsconfig.json',
  '.swcrc',
  'nest-cli.json',
];

const changed = async (path) => (await stat(path)).mtimeMs;

const sources = (await readdir('src', { recursive: true })).map((name) => `src/${name}`);
const built = await changed('dist/sbom.cdx.json').catch(() => 0); // written last
const newest = Math.max(...(await Promise.all(['src', ...sources, ...CONFIGURATION].map(changed))));
process.exitCode = newest < built ? 0 : 1;
