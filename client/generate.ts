import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, {
  astToString,
  type OpenAPI3,
  type OperationObject,
  type ReferenceObject,
  type ResponseObject,
} from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';

/** Writes `client/src/generated/` from the OpenAPI document. The same document gives the same files. */

const DOCUMENT = new URL('../openapi.json', import.meta.url);
const FOLDER = new URL('src/generated/', import.meta.url);
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const parsed = JSON.parse(await readFile(DOCUMENT, 'utf8'));
const document: OpenAPI3 = parsed;

/** What a reference within the document stands for. */
function resolve<T extends object>(value: T | ReferenceObject): T {
  if (!('$ref' in value)) return value;
  const keys = value.$ref.split('/').slice(1);
  return resolve(keys.reduce((node, key) => node[key], parsed));
}

interface Operation extends OperationObject {
  operationId: string;
  method: string;
  path: string;
}

const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  METHODS.flatMap((method): Operation[] => {
    const operation = resolve(item)[method];
    if (operation === undefined) return [];
    const { operationId, ...rest } = resolve(operation);
    if (operationId === undefined) throw new Error(`${method} ${path} has no operationId`);
    return [{ ...rest, operationId, method, path }];
  }),
);

/** The JSON of an answer: its examples, and its schema, which may be a reference. */
function jsonOf(response: ResponseObject) {
  const media = response.content?.['application/json'];
  if (media === undefined) return undefined;
  const { schema = {}, example, examples = {} } = resolve(media);
  const bodies = [example, ...Object.values(examples).map((named) => resolve(named).value)];
  return { schema, bodies: bodies.filter((body) => body !== undefined) };
}

/** Whether an operation responds with a file. */
const isFile = ({ responses = {} }: Operation): boolean =>
  responses[200] !== undefined &&
  resolve(responses[200]).content !== undefined &&
  jsonOf(resolve(responses[200])) === undefined;

/** Whether an operation answers with an array, page by page; other arrays come whole. */
function isList({ responses = {} }: Operation): boolean {
  const response = responses[200] && resolve(responses[200]);
  if (response?.headers?.['X-Total-Count'] === undefined) return false;
  const answer = responses[200] && jsonOf(resolve(responses[200]));
  const schema = answer && resolve(answer.schema);
  return schema !== undefined && 'type' in schema && schema.type === 'array';
}

/** Whether a list can be read from cursor to cursor. */
const hasCursor = ({ responses = {} }: Operation): boolean =>
  responses[200] !== undefined && resolve(responses[200]).headers?.['X-Next-Cursor'] !== undefined;

/** Whether an operation takes anything but headers. */
const hasInput = ({ parameters = [], requestBody }: Operation): boolean =>
  requestBody !== undefined || parameters.some((parameter) => resolve(parameter).in !== 'header');

const comment = ({ summary, description }: OperationObject) =>
  `/**\n${`${summary}\n\n${description}`.replaceAll('*/', '*\\/').replaceAll(/^/gm, ' * ')}\n */`;

const routes = operations.map(
  (operation) => `${comment(operation)}
  ${operation.operationId}: { method: '${operation.method}', path: '${operation.path}', isList: ${isList(operation)}, isFile: ${isFile(operation)}, hasCursor: ${hasCursor(operation)}, hasInput: ${hasInput(operation)} },`,
);

/** Every code of an operation's errors, as it is in their examples, with the status and the schema it comes with. */
const errors = new Map<string, string>();
const errorSchemas = new Set<string>();
for (const { responses = {} } of operations) {
  for (const [status, answer] of Object.entries(responses)) {
    if (Number(status) < 400) continue;
    const response = resolve(answer);
    const { schema, bodies } = jsonOf(response) ?? { schema: {}, bodies: [] };
    const reference = '$ref' in schema ? schema.$ref : undefined;
    if (typeof reference !== 'string') throw new Error(`The ${status} of an operation has no named schema`);
    const name = reference.split('/').at(-1)!;
    errorSchemas.add(name);
    const retryAfter = 'Retry-After' in (response.headers ?? {}) ? 'number' : 'undefined';
    for (const { code } of bodies) {
      const body = `components['schemas']['${name}']`;
      errors.set(code, `${code}: { status: ${status}; body: ${body}; retryAfter: ${retryAfter} };`);
    }
  }
}

/** Those of requests that are rejected before their operation is found, and those that no operation responds with yet. */
const codes: string[] = parsed.components.schemas.ErrorCode.enum;
for (const code of codes.filter((name) => !errors.has(name))) {
  errors.set(
    code,
    `${code}: { status: number; body: components['schemas']['ApiError']; retryAfter: number | undefined };`,
  );
}

/** The other schemas, each under its own name. The errors are one class, so that a type beside it would mislead. */
const models = Object.keys(document.components?.schemas ?? {})
  .filter((name) => !errorSchemas.has(name))
  .map((name) => `export type ${name} = components['schemas']['${name}'];`);

const files = {
  'document.ts': astToString(await openapiTS(document)),
  'routes.ts': `import type { operations } from './document.js';

    interface Route {
      method: string;
      path: string;
      isList: boolean;
      isFile: boolean;
      hasCursor: boolean;
      hasInput: boolean;
    }

    /** Where every operation is, by its name. */
    export const routes = { ${routes.join('\n')} } as const satisfies Record<keyof operations, Route>;`,
  'errors.ts': `import type { components } from './document.js';

    /** What comes with every code of an error. */
    export interface ErrorCases { ${[...errors.values()].join('\n')} }`,
  'models.ts': `import type { components } from './document.js';\n\n${models.join('\n')}`,
};

const style = await resolveConfig(DOCUMENT);
for (const [name, source] of Object.entries(files)) {
  const header = '// Generated from openapi.json by `npm run client:types`; changes here are lost.\n\n';
  await writeFile(new URL(name, FOLDER), await format(header + source, { ...style, parser: 'typescript' }));
}
