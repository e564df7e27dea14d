import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { parse, parseAllDocuments } from 'yaml';
import type { Deployment, IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IJob } from 'kubernetes-models/batch/v1/Job';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { ISecret } from 'kubernetes-models/v1/Secret';
import type { IService } from 'kubernetes-models/v1/Service';
import { loadConfig, settings, SHUTDOWN_GRACE } from '../../src/config/config.js';
import { document } from '../harness/document.js';

/** What the examples for deployments say must be true of the service. */

const FOLDER = 'deploy/kubernetes';
const require = createRequire(import.meta.url);
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

interface Kinds {
  Deployment: IDeployment;
  Job: IJob;
  NetworkPolicy: INetworkPolicy;
  PodDisruptionBudget: IPodDisruptionBudget;
  Secret: ISecret;
  Service: IService;
}

type Resource = Kinds[keyof Kinds];

const resources = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')))
  .map((parsed) => parsed.toJS() as Resource);

function find<Kind extends keyof Kinds>(kind: Kind): Kinds[Kind] {
  const [found, ...others] = resources.filter((resource): resource is Kinds[Kind] => resource.kind === kind);
  if (found === undefined || others.length > 0) throw new Error(`There must be one ${kind}`);
  return found;
}

/** What TypeScript says against the resources as literals: unlike the schemas, it knows of no field but theirs. */
function typeErrors(): string[] {
  const path = resolve('test/resources.ts');
  const text = resources
    .map(
      (resource) =>
        `(${JSON.stringify(resource)}) satisfies import('kubernetes-models/${resource.apiVersion}').I${resource.kind};`,
    )
    .join('\n');
  const options: ts.CompilerOptions = {
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
  return ts
    .getPreEmitDiagnostics(ts.createProgram([path], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('The example for Kubernetes', () => {
  const { spec: deployment } = find('Deployment');
  const { spec: job } = find('Job');
  const pods = [deployment!.template, job!.template].map(({ spec }) => spec!);
  const service = pods[0]!.containers[0]!;

  it('is valid', () => {
    expect(resources.map(({ kind }) => kind).toSorted()).toEqual([
      'Deployment',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Secret',
      'Service',
    ]);
    for (const resource of resources) {
      const models = require(`kubernetes-models/${resource.apiVersion}`) as Record<string, typeof Deployment>;
      new models[resource.kind]!(resource as IDeployment).validate();
    }
    expect(typeErrors()).toEqual([]);
  });

  it('sets what the service can read, from a secret that is there', () => {
    const { metadata, stringData } = find('Secret');
    for (const { containers } of pods) {
      const env = containers[0]!.env!.map(({ name, value, valueFrom }) => {
        const { name: secret, key } = valueFrom?.secretKeyRef ?? {};
        if (key !== undefined) expect(secret).toBe(metadata!.name);
        return [name, value ?? stringData![key!]];
      });
      expect(Object.keys(settings)).toEqual(expect.arrayContaining(env.map(([name]) => name)));
      expect(() => loadConfig({ NODE_ENV: 'production', ...Object.fromEntries(env) })).not.toThrow();
    }
  });

  it('asks paths that the service has, on ports that it listens on', () => {
    const ports = new Map(service.ports!.map(({ name, containerPort }) => [name, containerPort]));
    const metricsPort = service.env!.find(({ name }) => name === 'METRICS_PORT')!.value;
    expect(Object.fromEntries(ports)).toEqual({ http: loadConfig({}).PORT, metrics: Number(metricsPort) });
    const probes = [service.startupProbe, service.livenessProbe, service.readinessProbe];
    expect(probes.map((probe) => probe?.httpGet?.path)).toEqual(['/healthz', '/healthz', '/readyz']);
    for (const probe of probes) {
      expect(document.paths).toHaveProperty([probe!.httpGet!.path!, 'get']);
      expect(probe!.httpGet!.port).toBe('http');
    }
    expect(find('Service').spec!.ports!.map(({ targetPort }) => targetPort)).toEqual(['http']);
  });

  it('gives a pod the time to stop', () => {
    const delay = service.env!.find(({ name }) => name === 'SHUTDOWN_DELAY')!.value;
    const grace = pods[0]!.terminationGracePeriodSeconds! * 1_000;
    expect(grace).toBeGreaterThan(Number(delay) + SHUTDOWN_GRACE);
  });

  it('selects the pods that it makes', () => {
    const { labels } = deployment!.template.metadata!;
    for (const selected of [
      deployment!.selector.matchLabels,
      find('Service').spec!.selector,
      find('PodDisruptionBudget').spec!.selector!.matchLabels,
      pods[0]!.topologySpreadConstraints![0]!.labelSelector!.matchLabels,
    ]) {
      expect(selected).toEqual(labels);
    }
    expect(job!.template.metadata!.labels).not.toEqual(labels);
  });

  it('runs this version, as an ordinary user with no right to spare', () => {
    for (const { containers, securityContext } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(containers.map(({ image }) => image)).toEqual([`wins-tracker:${version}`]);
      expect(containers[0]!.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    expect(find('Job').metadata!.name).toContain(version);
  });
});

it('compose.yaml passes every setting on that is not the same in every container', () => {
  const { services } = parse(readFileSync('compose.yaml', 'utf8')) as {
    services: { service: { environment: Record<string, string>; ports: string[] } };
  };
  const own = ['DATA_DIR', 'HOST', 'NODE_ENV', 'PORT'];
  expect([...own, ...Object.keys(services.service.environment)].toSorted()).toEqual(Object.keys(settings).toSorted());
  expect(services.service.ports).toEqual([expect.stringMatching(`:${loadConfig({}).PORT}$`)]);
});
