import { readFile } from 'node:fs/promises';
import { transform } from '@swc/core';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));

/** Compiles TypeScript as `.swcrc` says. esbuild itself can't keep the types that decorators read, such as Nest's. */
export const swc = {
  name: 'swc',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      try {
        const { code } = await transform(source, { filename: path, sourceMaps: 'inline' });
        return { contents: code, loader: 'js' };
      } catch ({ message }) {
        return { errors: [{ text: message.split('\n\nCaused by:')[0] }] }; // a backtrace of swc's own follows
      }
    });
  },
};

/** Leaves out what Nest's ValidationPipe, which is not used, would import: all of class-validator, with its telephone numbers. */
const leaveOut = {
  name: 'leave out',
  setup({ onResolve }) {
    onResolve({ filter: /^class-(validator|transformer)$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { external: true } : undefined,
    );
  },
};

/** The explorer's script runs in the browser as it is. */
const copyScript = {
  name: 'copy script',
  setup({ onLoad }) {
    onLoad({ filter: /\/docs\/start\.js$/ }, async ({ path }) => ({ contents: await readFile(path), loader: 'copy' }));
  },
};

/**
 * Bundles the service with its dependencies: reading a thousand small files was two thirds of the start.
 * Names are not shortened, so that a stack trace has those of the sources. What few requests need stays a file of
 * its own, loaded when it is first asked for.
 *
 * @type {import('esbuild').BuildOptions}
 */
export default {
  entryPoints: [
    { in: 'src/main.ts', out: 'main' },
    { in: 'src/cli.ts', out: 'cli' },
    { in: 'src/docs/explorer.css', out: 'explorer' },
    { in: 'src/docs/icon.svg', out: 'icon' },
    { in: 'src/docs/start.js', out: 'start' },
  ],
  loader: { '.css': 'copy', '.svg': 'copy' }, // the explorer reads them beside its own code
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Node keeps the text of all functions: without spaces and comments, and in ASCII, it takes less than half of the memory.
  minifyWhitespace: true,
  lineLimit: 120,
  legalComments: 'none', // LICENCES.txt has them
  define: {
    BUILD_VERSION: JSON.stringify(version),
    // Node has it from version 21 on. Without it, `pg` loads all of `fetch`, to find out that it doesn't run at Cloudflare.
    navigator: JSON.stringify({ userAgent: 'Node.js' }),
  },
  // Of packages that have two forms, the one of which only what is used is taken.
  mainFields: ['module', 'main'],
  alias: {
    rxjs: './node_modules/rxjs/dist/esm/index.js',
    'rxjs/operators': './node_modules/rxjs/dist/esm/operators/index.js',
  },
  inject: ['reflect-metadata'], // before any decorator runs, whatever file it ends up in
  // What packages in the older module format call.
  banner: {
    js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
  },
  logLevel: 'warning',
  plugins: [swc, leaveOut, copyScript],
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
};
