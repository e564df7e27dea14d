import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from './client.js';

interface Response {
  $ref?: string;
  headers?: Record<string, { required?: boolean }>;
  content?: Record<string, { schema: object; example?: object }>;
}

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  security?: object[];
  responses: Record<string, Response>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  security?: object[];
  components: { schemas: Record<string, object>; responses?: Record<string, Response> };
}

/** The committed document. */
export const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
for (const format of ['int32', 'int64']) ajv.addFormat(format, { type: 'number', validate: Number.isSafeInteger });
ajv.addSchema({ $id: 'document', components: closed(document.components) });

const validators = new Map<string, ValidateFunction>();

/** The response itself where the document only refers to it. */
export const resolved = (response: Response): Response =>
  response.$ref === undefined ? response : document.components.responses![response.$ref.split('/').at(-1)!]!;

/** Fails unless the document lists the answer's status for the operation, and its body and headers match. */
export function expectDocumented(method: string, path: string, answer: Answer): void {
  const operation = findOperation(method, path.split('?', 1)[0]!);
  if (operation === undefined) {
    if (answer.body !== undefined)
      expectSchema(`${method} ${path}`, { $ref: '#/components/schemas/Error' }, answer.body);
    return;
  }
  const listed = operation.responses[answer.status];
  const response = listed && resolved(listed);
  const title = `${operation.operationId} ${answer.status}`;
  if (response === undefined) throw new Error(`The document lists no such answer: ${title} ${answer.text}`);
  for (const [name, { required }] of Object.entries(response.headers ?? {})) {
    if (required && !answer.headers.has(name)) throw new Error(`${title}: the header ${name} is missing`);
  }
  const schema = response.content?.['application/json']?.schema;
  if (method === 'HEAD') return;
  if (schema !== undefined) expectSchema(title, schema, answer.body);
  else if (answer.text !== '') throw new Error(`${title}: there should be no body, but there is ${answer.text}`);
}

function findOperation(method: string, path: string) {
  const asked = path.replace(/(.)\/$/, '$1');
  const template = Object.keys(document.paths).find((candidate) =>
    new RegExp(`^${candidate.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(asked),
  );
  return template === undefined
    ? undefined
    : document.paths[template]![method === 'HEAD' ? 'get' : method.toLowerCase()];
}

function expectSchema(title: string, schema: object, value: unknown): void {
  const key = JSON.stringify(schema);
  const validate = validators.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/', '"document#/')));
  validators.set(key, validate);
  if (!validate(value)) {
    throw new Error(`${title}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
  }
}

/** Objects may have the documented properties and no others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in copy && copy.type === 'object' ? { unevaluatedProperties: false, ...copy } : copy;
}
