import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from './client.js';

/** As much of JSON Schema as the document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: string[];
  description?: string;
  example?: unknown;
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

export interface Content {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
}

interface Header extends Content {
  $ref?: string;
  required?: boolean;
}

interface Response {
  $ref?: string;
  headers?: Record<string, Header>;
  content?: Record<string, Content>;
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  security?: object[];
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, Response>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  security?: object[];
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
    headers: Record<string, Header>;
  };
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
  response.$ref === undefined ? response : document.components.responses[response.$ref.split('/').at(-1)!]!;

/** Fails unless the document lists the answer's status for the operation, and its body and headers match. */
export function expectDocumented(method: string, path: string, answer: Answer): void {
  const operation = findOperation(method, path.split('?', 1)[0]!);
  if (operation === undefined) {
    if (answer.body !== undefined)
      expectSchema(`${method} ${path}`, { $ref: '#/components/schemas/ApiError' }, answer.body);
    return;
  }
  const listed = operation.responses[answer.status];
  const response = listed && resolved(listed);
  const title = `${operation.operationId} ${answer.status}`;
  if (response === undefined) throw new Error(`The document lists no such answer: ${title} ${answer.text}`);
  for (const [name, described] of Object.entries(response.headers ?? {})) {
    const header = described.$ref === undefined ? described : document.components.headers[name]!;
    const value = answer.headers.get(name);
    if (value !== null) expectSchema(`${title}: ${name}`, header.schema, valueOf(value, header.schema));
    else if (header.required) throw new Error(`${title}: the header ${name} is missing`);
  }
  const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? 'application/json';
  const schema = response.content?.[type]?.schema;
  if (method === 'HEAD') return;
  if (schema !== undefined) expectSchema(title, schema, type === 'application/json' ? answer.body : answer.text);
  else if (answer.text !== '') throw new Error(`${title}: there should be no body, but there is ${answer.text}`);
}

/** A header as its schema has it: whole numbers are written as such, everything else is a text. */
const valueOf = (text: string, { type }: Schema) => (type === 'integer' && /^\d+$/.test(text) ? Number(text) : text);

const templates = Object.keys(document.paths).map((template): [template: string, pattern: RegExp] => [
  template,
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]*')}$`),
]);

/** The operation that a request asks for. @param path without its query */
export function findOperation(method: string, path: string): Operation | undefined {
  const asked = path.replace(/(.)\/$/, '$1');
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const fitting = templates.filter(([template, pattern]) => template === asked || pattern.test(asked));
  const exactFirst = fitting.toSorted(([a], [b]) => Number(b === asked) - Number(a === asked));
  return exactFirst.map(([template]) => document.paths[template]![verb]).find((operation) => operation !== undefined);
}

/** Fails unless the value is what the schema describes. @param title begins the message */
export function expectSchema(title: string, schema: object, value: unknown): void {
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
