import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export const DOCS_PATH = '/docs';
export const DOCUMENT_PATH = '/openapi.json';

/** The explorer's own scripts and styles, and nothing from elsewhere. */
const POLICY =
  "default-src 'none';script-src 'self';style-src 'self' 'unsafe-inline';img-src 'self' data:;connect-src 'self';" +
  "base-uri 'none';form-action 'none';frame-ancestors 'none'";

/** All addresses are relative, so that the explorer works below a path prefix too. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Wins: API explorer</title>
    <link rel="icon" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="explorer"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#explorer',
  persistAuthorization: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
});
`;

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** What the page loads, by name; `null` is Swagger UI's own file of that name. */
const FILES: Record<string, { type: string; text: string | null }> = {
  'start.js': { type: 'text/javascript; charset=utf-8', text: START },
  'swagger-ui-bundle.js': { type: 'text/javascript; charset=utf-8', text: null },
  'swagger-ui.css': { type: 'text/css; charset=utf-8', text: null },
  'favicon-32x32.png': { type: 'image/png', text: null },
};

/** Serves the explorer and the document, both to everyone. @param createDocument runs when it is first asked for */
export function serveExplorer(fastify: FastifyInstance, createDocument: () => object): void {
  let document: string | undefined;
  const config = { public: true };
  fastify.get(DOCUMENT_PATH, { config }, (_, reply) =>
    reply.type('application/json; charset=utf-8').send((document ??= JSON.stringify(createDocument()))),
  );
  fastify.get(DOCS_PATH, { config }, (request: FastifyRequest, reply: FastifyReply) =>
    request.url.split('?', 1)[0]!.endsWith('/')
      ? reply.redirect(`..${DOCS_PATH}`)
      : reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(PAGE),
  );
  for (const [name, { type, text }] of Object.entries(FILES)) {
    fastify.get(`${DOCS_PATH}/${name}`, { config }, async (_, reply) =>
      reply.type(type).send(text ?? (await readFile(join(SWAGGER_UI, name)))),
    );
  }
}
