import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Checks what other people's generators make of the OpenAPI document: none may warn, the compiler must accept the result,
 * and no generated name may be that of a global, such as `Error` or `Response`.
 */

const here = dirname(fileURLToPath(import.meta.url));
const document = relative(here, join(here, '../openapi.json'));
const folder = mkdtempSync(join(tmpdir(), 'wins-generators-'));

const problems = [];

function run(name, ...options) {
  const { status, stdout, stderr } = spawnSync('npx', ['--no-install', name, ...options], {
    cwd: here,
    encoding: 'utf8',
  });
  const output = stdout + stderr;
  if (status !== 0 || /warn|error|invalid/i.test(output)) problems.push(`${name} ${options.join(' ')}:\n${output}`);
  console.log(`${name}: ran`);
}

/** Names that a page has without an import. */
function globals() {
  const lib = join(here, 'node_modules/typescript/lib');
  const files = readdirSync(lib).filter((name) => /^lib\.(?!webworker).*\.d\.ts$/.test(name));
  const declared = /^(?:declare (?:var|function|class)|interface|type) (\w+)/gm;
  return new Set(
    files.flatMap((name) => [...readFileSync(join(lib, name), 'utf8').matchAll(declared)].map(([, global]) => global)),
  );
}

try {
  run('openapi-typescript', document, '--output', join(folder, 'openapi-typescript.ts'));
  run('orval', '--input', document, '--output', join(folder, 'orval.ts'), '--client', 'fetch');
  run('openapi-ts', '--input', document, '--output', join(folder, 'hey-api'));

  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts'));
  const exported = /^export (?:declare )?(?:type|interface|const|function|class|enum) (\w+)/gm;
  const taken = globals();
  for (const file of files) {
    for (const [, name] of readFileSync(join(folder, file), 'utf8').matchAll(exported)) {
      if (taken.has(name)) problems.push(`${file}: ${name} is the name of a global`);
    }
  }
  const options = { strict: true, noEmit: true, skipLibCheck: true, target: 'es2022', module: 'esnext' };
  const compilerOptions = {
    ...options,
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  run('tsc', '--project', folder);
  console.log(`${files.length} files generated, ${taken.size} globals, ${problems.length} problems`);
} finally {
  rmSync(folder, { recursive: true });
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
