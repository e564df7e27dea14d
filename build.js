import { readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import options from './esbuild.config.js';
import { bundledPackages, licenceTexts, materials } from './licences.js';

/** `npm run build`: the bundle, the licences of its packages and its bill of materials. */

/** What the service reads from its packages while it runs: the files of the explorer. */
const SERVED = ['swagger-ui-dist'];

await rm('dist', { recursive: true, force: true });
const { metafile } = await build({ ...options, metafile: true });
const packages = await bundledPackages(metafile, SERVED);
await writeFile('dist/LICENCES.txt', await licenceTexts(packages));
const { name, version } = JSON.parse(await readFile('package.json', 'utf8'));
await writeFile('dist/sbom.cdx.json', materials({ name, version }, packages)); // last: is-built.js compares its time
