import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';

/** Writes `client/src/generated/` from the OpenAPI document. The same document gives the same files. Run from the root. */

const DOCUMENT = new URL('../openapi.json', import.meta.url);
const FOLDER = new URL('../client/src/generated/', import.meta.url);
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const document = JSON.parse(await readFile(DOCUMENT, 'utf8'));

/** What a reference within the document stands for. */
function resolve(value) {
  if (!('$ref' in value)) return value;
  const keys = value.$ref.split('/').slice(1);
  return resolve(keys.reduce((node, key) => node[key], document));
}

const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  METHODS.flatMap((method) => {
    const operation = resolve(item)[method];
    if (operation === undefined) return [];
    const { operationId, ...rest } = resolve(operation);
    if (operationId === undefined) throw new Error(`${method} ${path} has no operationId`);
    return [{ ...rest, operationId, method, path }];
  }),
);

/** The schema of a response in JSON, which may be a reference. */
const schemaOf = (response) => {
  const media = resolve(response).content?.['application/json'];
  return media && (resolve(media).schema ?? {});
};

/** Whether an operation responds with a file. */
const isFile = ({ responses = {} }) =>
  responses[200] !== undefined &&
  resolve(responses[200]).content !== undefined &&
  schemaOf(responses[200]) === undefined;

/** Whether an operation answers with an array, page by page; other arrays come whole. */
function isList({ responses = {} }) {
  const response = responses[200] && resolve(responses[200]);
  if (response?.headers?.['X-Total-Count'] === undefined) return false;
  const schema = responses[200] && schemaOf(responses[200]);
  const resolved = schema && resolve(schema);
  return resolved !== undefined && 'type' in resolved && resolved.type === 'array';
}

/** Whether a list can be read from cursor to cursor. */
const hasCursor = ({ responses = {} }) =>
  responses[200] !== undefined && resolve(responses[200]).headers?.['X-Next-Cursor'] !== undefined;

/** Whether an operation takes anything but headers. */
const hasInput = ({ parameters = [], requestBody }) =>
  requestBody !== undefined || parameters.some((parameter) => resolve(parameter).in !== 'header');

const comment = ({ summary, description }) =>
  `/**\n${`${summary}\n\n${description}`.replaceAll('*/', '*\\/').replaceAll(/^/gm, ' * ')}\n */`;

const routes = operations.map(
  (operation) => `${comment(operation)}
  ${operation.operationId}: { method: '${operation.method}', path: '${operation.path}', isList: ${isList(operation)}, isFile: ${isFile(operation)}, hasCursor: ${hasCursor(operation)}, hasInput: ${hasInput(operation)} },`,
);

/** The schemas of resources and requests. Those of errors are in `error.ts`, open for codes to come. */
const models = Object.keys(document.components?.schemas ?? {})
  .filter((name) => !/Error|Fault/.test(name))
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
  'models.ts': `import type { components } from './document.js';\n\n${models.join('\n')}`,
};

const style = await resolveConfig(DOCUMENT);
for (const [name, source] of Object.entries(files)) {
  const header = '// Generated from openapi.json by `npm run client:types`; changes here are lost.\n\n';
  await writeFile(new URL(name, FOLDER), await format(header + source, { ...style, parser: 'typescript' }));
}
