import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { parseAllDocuments } from 'yaml';
import options from '../../../esbuild.config.js';

const { inputs } = (await build({ ...options, metafile: true, write: false })).metafile;
const licences = readFileSync('dist/LICENCES.txt', 'utf8');

/** The packages that the bundler read, with their versions, and the explorer's, whose files are served. */
const packages = new Set(
  [...Object.keys(inputs), 'node_modules/swagger-ui-dist/'].flatMap((path) => {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    if (folder === undefined) return [];
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Record<string, string>;
    return [`${name} ${version}`];
  }),
);

it('the code loads no package of the older format when it runs: in the bundle, such a one has only a default', () => {
  const loaded = Object.entries(inputs)
    .filter(([path]) => path.startsWith('src/'))
    .flatMap(([, { imports }]) => imports.filter(({ kind }) => kind === 'dynamic-import'));
  expect(loaded.length).toBeGreaterThan(5);
  expect(loaded.filter(({ path }) => inputs[path]?.format === 'cjs')).toEqual([]);
});

it('the licences and the bill of materials name each package that is in the bundle, and no other', () => {
  expect(packages.size).toBeGreaterThan(50);
  const titles = licences.split(/\n\n={80}\n\n/).map((text) => text.split('\n', 1)[0]!);
  expect(new Set(titles)).toEqual(packages);
  const { bomFormat, components } = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8')) as {
    bomFormat: string;
    components: { name: string; version: string; purl: string }[];
  };
  expect(bomFormat).toBe('CycloneDX');
  expect(new Set(components.map(({ name, version }) => `${name} ${version}`))).toEqual(packages);
  for (const { purl } of components) expect(purl).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d/);
});

it('has the licences that the scripts of the explorer come with', () => {
  const file = 'node_modules/swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt';
  expect(licences).toContain(readFileSync(file, 'utf8').trim());
});

it('the example for Kubernetes closes the port of the metrics, and lets a node go whose instance is not ready', () => {
  const resources = parseAllDocuments(readFileSync('deploy/kubernetes/service.yaml', 'utf8')).map(
    (parsed) => parsed.toJS() as { kind: string; spec: Record<string, unknown> },
  );
  const spec = (kind: string) => resources.find((resource) => resource.kind === kind)?.spec;
  expect(spec('PodDisruptionBudget')).toMatchObject({ unhealthyPodEvictionPolicy: 'AlwaysAllow' });
  const { ingress } = spec('NetworkPolicy') as { ingress: { from?: unknown[]; ports: { port: string }[] }[] };
  const open = ingress.filter(({ from }) => from === undefined).flatMap(({ ports }) => ports.map(({ port }) => port));
  expect(open).toEqual(['http']);
  expect(ingress.flatMap(({ ports }) => ports.map(({ port }) => port))).toContain('metrics');
});
