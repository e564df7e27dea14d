import { rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { swc } from '../esbuild.config.js';

/** Compiles the benchmarks, and what they use of `src/`, file by file. */
await rm('bench/dist', { recursive: true, force: true });
await build({
  entryPoints: ['bench/*.ts', 'bench/peers/**/*.ts', 'src/**/*.ts', 'src/node-version.js'],
  outbase: '.',
  outdir: 'bench/dist',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
  plugins: [swc],
});
