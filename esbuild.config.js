import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { bundledPackages, licenceTexts, materials } from './licences.js';

/** What the service reads from its packages while it runs: the files of the explorer. */
const SERVED = ['swagger-ui-dist'];

const { name, version } = JSON.parse(await readFile('package.json', 'utf8'));

/** Leaves out what Nest's ValidationPipe, which is not used, would import: all of class-validator, with its telephone numbers. */
function leaveOut({ onResolve }) {
  onResolve({ filter: /^class-(validator|transformer)$/ }, ({ kind }) =>
    kind === 'dynamic-import' ? { external: true } : undefined,
  );
}

/**
 * Bundles what `nest build` compiled, with its dependencies: reading a thousand small files was two thirds of the start.
 * Names are not shortened, so that a stack trace has those of the sources. What few requests need stays a file of
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
  // Node keeps the text of all functions: without spaces and comments, and in ASCII, it takes less than half of the memory.
  minifyWhitespace: true,
  lineLimit: 120,
  legalComments: 'none', // LICENCES.txt has them
  define: { BUILD_VERSION: JSON.stringify(version) },
  mainFields: ['module', 'main'], // of packages that have both, the one of which only what is used is taken
  inject: ['reflect-metadata'], // before any decorator runs, whatever file it ends up in
  // What packages in the older module format call.
  banner: {
    js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
  },
  logLevel: 'warning',
  plugins: [{ name: 'leave out', setup: leaveOut }],
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
