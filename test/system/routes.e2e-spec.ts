import type { FastifyInstance } from 'fastify';
import { createDocument } from '../../src/docs/openapi.js';
import { startApp, type TestApp } from '../harness/app.js';
import { document, resolved } from '../harness/document.js';

/** All that may be asked for without a token. A route that is to join them belongs here, on purpose. */
const PUBLIC = [
  'GET /healthz',
  'GET /readyz',
  'GET /',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/start.js',
  'GET /docs/swagger-ui-bundle.js',
  'GET /docs/swagger-ui.css',
  'GET /docs/explorer.css',
  'GET /docs/icon.svg',
];

/** Routes that serve the document and its explorer, and are not in the document. */
const isOfTheExplorer = (route: string) => /^GET \/($|docs|openapi\.json)/.test(route);

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options', 'head', 'trace'];

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** Every route that Fastify has, as `GET /api/v1/tags/:id`, read from the tree it prints; HEAD goes with its GET. */
function routes(): string[] {
  const fastify: FastifyInstance = app.app.getHttpAdapter().getInstance();
  const found: string[] = [];
  const parents: string[] = [];
  for (const line of fastify.printRoutes({ commonPrefix: false }).split('\n')) {
    const node = /^(?<indent>(?:│ {3}| {4})*)[├└]── (?<part>\S+)(?: \((?<methods>[^)]+)\))?/u.exec(line)?.groups;
    if (node === undefined) continue;
    const depth = node.indent!.length / 4;
    const path = `${depth === 0 ? '' : parents[depth - 1]}${node.part}`;
    parents[depth] = path;
    for (const method of node.methods?.split(', ') ?? []) if (method !== 'HEAD') found.push(`${method} ${path}`);
  }
  return found;
}

/** Every operation of a document, as `GET /api/v1/tags/:id`. */
function operations<T>(paths: Record<string, Record<string, T>>): [route: string, operation: T][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]): [string, T] => [
        `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        operation,
      ]),
  );
}

function statusWithoutToken(route: string): Promise<number> {
  const [method, path = ''] = route.split(' ');
  return fetch(app.url + path.replaceAll(/:\w+/g, '1'), { method, redirect: 'manual' }).then(({ status }) => status);
}

describe('every route', () => {
  it('is found', () => {
    expect(routes()).toEqual(
      expect.arrayContaining(['GET /healthz', 'GET /docs/start.js', 'POST /api/v1/tags', 'PATCH /api/v1/spaces/:id']),
    );
    expect(new Set(routes()).size).toBe(routes().length);
  });

  it('asks for a token, or is on the list of public ones', async () => {
    const open: string[] = [];
    for (const route of routes()) if ((await statusWithoutToken(route)) !== 401) open.push(route);
    expect(open.toSorted()).toEqual(PUBLIC.toSorted());
  });

  it('is in the document, and nothing else is', () => {
    const documented = operations(document.paths).map(([route]) => route);
    expect(documented.toSorted()).toEqual(
      routes()
        .filter((route) => !isOfTheExplorer(route))
        .toSorted(),
    );
  });
});

describe('the committed openapi.json', () => {
  it('is what the service serves', async () => {
    const served = await (await fetch(`${app.url}/openapi.json`)).json();
    expect(served).toEqual(document);
    expect(JSON.parse(JSON.stringify(createDocument(app.app)))).toEqual(document);
  });

  it('names and describes every operation, each once', () => {
    const all = operations(document.paths);
    for (const [route, operation] of all) {
      expect([route, operation]).toEqual([
        route,
        expect.objectContaining({
          operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/),
          summary: expect.stringMatching(/\S/),
          description: expect.stringMatching(/\S/),
        }),
      ]);
    }
    expect(new Set(all.map(([, { operationId }]) => operationId)).size).toBe(all.length);
  });

  it('refers to nothing that it lacks', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w*)"/g);
    const all = [...references].map(([, kind, name]): [string, string] => [kind!, name!]);
    expect(all.length).toBeGreaterThan(50);
    const { components } = document as { components: Record<string, object> };
    expect(all.filter(([kind, name]) => !Object.hasOwn(components[kind]!, name))).toEqual([]);
  });

  it('gives every integer a format and bounds', () => {
    const integers: object[] = [];
    JSON.stringify(document, (key, value: unknown) => {
      if (key === 'example' || key === 'examples') return undefined; // what is in there is no schema
      if (typeof value === 'object' && value !== null && 'type' in value) {
        if ([value.type].flat().includes('integer')) integers.push(value);
      }
      return value;
    });
    expect(integers.length).toBeGreaterThan(40);
    for (const integer of integers) {
      expect(integer).toMatchObject({
        format: expect.stringMatching(/^int(32|64)$/),
        minimum: expect.any(Number),
        maximum: expect.any(Number),
      });
    }
  });

  it('has the challenge wherever a token is refused', () => {
    for (const { responses } of operations(document.paths).map(([, operation]) => operation)) {
      for (const status of ['401', '403'].filter((code) => code in responses)) {
        expect(resolved(responses[status]!).headers).toMatchObject({ 'WWW-Authenticate': { required: true } });
      }
    }
  });

  it('asks for the token wherever the service does', () => {
    const open = operations(document.paths).filter(([, { security }]) => security?.length === 0);
    const expected = PUBLIC.filter((route) => !isOfTheExplorer(route));
    expect(open.map(([route]) => route).toSorted()).toEqual(expected.toSorted());
    expect(document.security).toEqual([{ token: [] }]);
  });
});
