import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { CONFIG, type Config } from '../config/config.js';
import {
  codeSchemas,
  errorComponents,
  ErrorSchema,
  PlanLimitErrorSchema,
  ValidationErrorSchema,
} from '../openapi/errors.js';
import { HEADERS, link, location } from '../openapi/headers.js';
import { EXAMPLES } from './examples.js';
import { samplesOf } from './samples.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const SUMMARY = 'Record your wins, label them with tags and group them in spaces.';

const DESCRIPTION = `
Every call needs a token: \`Authorization: Bearer wins_…\`. Press **Authorize** and paste yours; it stays in this browser
until you log out.

- At its first start, a service of your own prints a demo token and keeps it in \`.data/demo-token\`.
- An operator creates others: \`npm run --silent cli -- token create --email you@example.com\`.
- With one you create more: \`POST /api/v1/tokens\`.

In the samples, the address of the service is \`URL\` or \`url\`, your token \`TOKEN\` or \`token\`, and the client \`wins\`.

Lists are paged: \`page\` and \`per_page\` in, \`X-Total-Count\`, \`X-Page\`, \`X-Per-Page\` and \`Link\` out.
Every error has the same shape: a sentence, a \`code\` that never changes and the id of the request. So do requests that are
rejected before an operation is found: 404, a malformed request (400), a slow one (408), headers of more than
16 KiB (431) and a transfer coding other than chunked (501).
`;

/**
 * The OpenAPI document of the application. Errors and common headers are described once, among the components. Its
 * server has the path of `PUBLIC_URL`, on whatever host.
 */
export function createDocument(app: INestApplication): OpenAPIObject {
  const { PUBLIC_URL } = app.get<Config>(CONFIG);
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Wins')
    .setDescription(DESCRIPTION.trim())
    .setVersion('1')
    .addServer(PUBLIC_URL === undefined ? '/' : new URL(PUBLIC_URL).pathname, 'This service')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'wins_…', description: 'An API token, `wins_…`' },
      'token',
    )
    .addSecurityRequirements('token')
    .addTag('Wins', 'What you accomplished')
    .addTag('Tags', 'Labels on wins')
    .addTag('Spaces', 'Groups of wins, in an order of your own')
    .addTag('Changes', 'What a copy of all this has to follow')
    .addTag('Account', 'You and your API tokens')
    .addTag('Health', 'For load balancers; no token needed')
    .build();
  const info = {
    ...config.info,
    summary: SUMMARY,
    contact: undefined, // the builder has an empty one
  };
  const document = SwaggerModule.createDocument(
    app,
    { ...config, info },
    { extraModels: [ErrorSchema, PlanLimitErrorSchema, ValidationErrorSchema] },
  );
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) if (item[method] !== undefined) complete(method, path, item[method]);
  }
  const { components = {} } = document;
  const schemas = { ...components.schemas, ...codeSchemas() };
  return { ...document, components: { ...components, schemas, headers: HEADERS, responses: errorComponents() } };
}

/** Adds what Nest has no place for: examples of bodies, samples of calls, and headers that name the resource. */
function complete(method: string, path: string, operation: Operation): void {
  const { requests, response: example, files } = EXAMPLES[operation.operationId ?? ''] ?? {};
  for (const [status, response] of Object.entries(operation.responses)) {
    if (response === undefined || '$ref' in response) {
      operation.responses[status] = response && { $ref: response.$ref };
      continue;
    }
    for (const [type, content] of Object.entries(response.content ?? {})) content.example = files?.[type] ?? example;
    if (Array.isArray(example) && operation.operationId?.startsWith('list') && status === '200')
      Object.assign(response.headers!, link(path));
    else if (status === '201' && example !== undefined && 'id' in example) {
      Object.assign(response.headers!, location(`${path}/${example.id}`));
    }
  }
  if (operation.requestBody !== undefined && 'content' in operation.requestBody) {
    for (const content of Object.values(operation.requestBody.content)) content.examples = requests;
  }
  const body = Object.values(requests ?? {})[0]?.value;
  Object.assign(operation, { 'x-codeSamples': samplesOf(method, path, operation, body) });
}
