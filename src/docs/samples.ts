import { inspect } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** An entry of `x-codeSamples`. */
export interface CodeSample {
  lang: 'Shell' | 'JavaScript';
  label: 'curl' | 'fetch' | 'client';
  source: string;
}

/** The id of most resources in the examples. */
const id = 7;

/** As a literal of JavaScript. */
const literal = (value: unknown) => inspect(value, { depth: null, breakLength: 100 });

/**
 * How an operation is called by `curl`, by `fetch` and with the client: with what it requires, and with a body where it
 * has one. The address and the token are `$URL` and `$TOKEN`, or `url` and `token`; the client is `wins`.
 *
 * @param path such as `/api/v1/tags/{id}`
 */
export function samplesOf(
  method: string,
  path: string,
  { operationId, parameters = [], security }: Operation,
  body: object | undefined,
): CodeSample[] {
  const query: Record<string, string> = {};
  for (const parameter of parameters) {
    if (!('in' in parameter) || parameter.in !== 'query' || !parameter.required) continue;
    const { schema = {} } = parameter;
    query[parameter.name] = String('enum' in schema ? schema.enum?.[0] : '');
  }
  const search = new URLSearchParams(query).toString();
  const address = path.replace('{id}', String(id)) + (search && `?${search}`);
  const isPublic = security?.length === 0;
  const verb = method.toUpperCase();

  const curl = [
    `curl${verb === (body === undefined ? 'GET' : 'POST') ? '' : ` -X ${verb}`} "$URL${address}"`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`]),
  ].join(' \\\n  ');

  const init = [
    ...(verb === 'GET' ? [] : [`method: '${verb}'`]),
    ...(isPublic
      ? []
      : [
          `headers: { Authorization: \`Bearer \${token}\`${body === undefined ? '' : ", 'Content-Type': 'application/json'"} }`,
        ]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indented(literal(body))})`]),
  ];
  const options = init.length === 0 ? '' : `, {\n${init.map((line) => `  ${line},\n`).join('')}}`;
  const fetch = `const response = await fetch(\`\${url}${address}\`${options});`;

  const input = { ...(path.includes('{id}') && { id }), ...query, ...body };
  const client = `await wins.${operationId}(${Object.keys(input).length === 0 ? '' : literal(input)});`;

  return [
    { lang: 'Shell', label: 'curl', source: curl },
    { lang: 'JavaScript', label: 'fetch', source: fetch },
    { lang: 'JavaScript', label: 'client', source: client },
  ];
}

const indented = (text: string) => text.replaceAll('\n', '\n  ');
