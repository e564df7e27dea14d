import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { bundledPackages, licenceTexts, materials } from './licences.js';

/** What the service reads from its packages while it runs: the files of the explorer. */
const SERVED = ['swagger-ui-dist'];

const { name, version } = JSON.parse(await readFile('package.json', 'utf8'));

/**
 * Bundles what `nest build` compiled, with its dependencies: reading a thousand small files was two thirds of the start.
 * Nothing is minified, so that a stack trace names functions as the sources do. What few requests need stays a file of
 * its own, loaded when it is first asked for.
 */
await rm('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [
    { in: 'build/main.js', out: 'main' },
    { in: 'build/cli.js', out: 'cli' },
    { in: 'build/docs/explorer.css', out: 'explorer' },
    { in: 'build/docs/icon.svg', out: 'icon' },
  ],
  loader: { '.css': 'copy', '.svg': 'copy' }, // the explorer reads them beside its own code
  outdir: 'dist',
  bundle: true,
  metafile: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  define: { BUILD_VERSION: JSON.stringify(version) },
  mainFields: ['module', 'main'], // of packages that have both, the one of which only what is used is taken
  inject: ['reflect-metadata'], // before any decorator runs, whatever file it ends up in
  // What packages in the older module format call.
  banner: {
    js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
  },
  logLevel: 'warning',
  external: [
    // For development only.
    'pino-pretty',
    // Optional parts of Nest that this service does not have.
    '@fastify/multipart',
    '@fastify/static',
    '@fastify/view',
    '@nestjs/microservices',
    '@nestjs/platform-express',
    '@nestjs/websockets',
  ],
});

const packages = await bundledPackages(metafile, SERVED);
await Promise.all([
  copyFile('src/docs/start.js', 'dist/start.js'), // runs in the browser
  writeFile('build/metafile.json', JSON.stringify(metafile)),
  writeFile('dist/LICENCES.txt', await licenceTexts(packages)),
  writeFile('dist/sbom.cdx.json', materials({ name, version }, packages)),
]);
