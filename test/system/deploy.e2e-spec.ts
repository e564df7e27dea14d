import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig, settings, SHUTDOWN_GRACE } from '../../src/config/config.js';
import { document } from '../harness/document.js';

/** What the examples for deployments say must be true of the service. */

const FOLDER = 'deploy/kubernetes';
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** What is looked at of a container and its pod. Whether a resource is valid is checked in `tools/`. */
interface Container {
  image: string;
  ports?: { name: string; containerPort: number }[];
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  securityContext?: object;
}
interface Probe {
  httpGet?: { path: string; port: string };
}
interface Pod {
  metadata: { labels: object };
  spec: {
    containers: Container[];
    securityContext: object;
    terminationGracePeriodSeconds?: number;
    topologySpreadConstraints?: { labelSelector: Labels }[];
  };
}
interface Labels {
  matchLabels: object;
}

interface Resources {
  Deployment: { spec: { template: Pod; selector: Labels } };
  Job: { metadata: { name: string }; spec: { template: Pod } };
  PodDisruptionBudget: { spec: { selector: Labels } };
  Secret: { metadata: { name: string }; stringData: Record<string, string> };
  Service: { spec: { selector: object; ports: { targetPort: string }[] } };
}

const resources = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')))
  .map((parsed) => parsed.toJS() as { kind: string });

function find<Kind extends keyof Resources>(kind: Kind): Resources[Kind] {
  const [found, ...others] = resources.filter((resource) => resource.kind === kind);
  if (found === undefined || others.length > 0) throw new Error(`There must be one ${kind}`);
  return found as unknown as Resources[Kind];
}

describe('The example for Kubernetes', () => {
  const { spec: deployment } = find('Deployment');
  const { spec: job } = find('Job');
  const pods = [deployment.template, job.template].map(({ spec }) => spec);
  const service = pods[0]!.containers[0]!;

  it('has a resource of each kind, and nothing else', () => {
    expect(resources.map(({ kind }) => kind).toSorted()).toEqual([
      'Deployment',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Secret',
      'Service',
    ]);
  });

  it('sets what the service can read, from a secret that is there', () => {
    const { metadata, stringData } = find('Secret');
    for (const { containers } of pods) {
      const env = containers[0]!.env!.map(({ name, value, valueFrom }) => {
        const { name: secret, key } = valueFrom?.secretKeyRef ?? {};
        if (key !== undefined) expect(secret).toBe(metadata.name);
        return [name, value ?? stringData[key!]];
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
      expect(document.paths).toHaveProperty([probe!.httpGet!.path, 'get']);
      expect(probe!.httpGet!.port).toBe('http');
    }
    expect(find('Service').spec.ports.map(({ targetPort }) => targetPort)).toEqual(['http']);
  });

  it('gives a pod the time to stop', () => {
    const delay = service.env!.find(({ name }) => name === 'SHUTDOWN_DELAY')!.value;
    const grace = pods[0]!.terminationGracePeriodSeconds! * 1_000;
    expect(grace).toBeGreaterThan(Number(delay) + SHUTDOWN_GRACE);
  });

  it('selects the pods that it makes', () => {
    const { labels } = deployment.template.metadata!;
    for (const selected of [
      deployment.selector.matchLabels,
      find('Service').spec.selector,
      find('PodDisruptionBudget').spec.selector.matchLabels,
      pods[0]!.topologySpreadConstraints![0]!.labelSelector.matchLabels,
    ]) {
      expect(selected).toEqual(labels);
    }
    expect(job.template.metadata.labels).not.toEqual(labels);
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
    expect(find('Job').metadata.name).toContain(version);
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
