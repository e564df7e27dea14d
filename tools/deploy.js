import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

/** Checks the example for Kubernetes against the schemas of its resources, and against their types, which know of no other field. */

const require = createRequire(import.meta.url);
const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, '../deploy/kubernetes');

const resources = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
  .map((parsed) => parsed.toJS());

for (const resource of resources) {
  const { [resource.kind]: Model } = require(`kubernetes-models/${resource.apiVersion}`);
  new Model(resource).validate();
}

const path = join(here, 'resources.ts'); // is nowhere but in memory
const text = resources
  .map((resource) => {
    const type = `import('kubernetes-models/${resource.apiVersion}').I${resource.kind}`;
    return `(${JSON.stringify(resource)}) satisfies ${type};`;
  })
  .join('\n');
const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  types: [],
};
const host = ts.createCompilerHost(options);
const { fileExists, readFile } = host;
host.fileExists = (file) => file === path || fileExists(file);
host.readFile = (file) => (file === path ? text : readFile(file));
const problems = ts
  .getPreEmitDiagnostics(ts.createProgram([path], options, host))
  .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));

console.log(`${resources.length} resources, ${problems.length} problems`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 && resources.length > 0 ? 0 : 1;
