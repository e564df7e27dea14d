import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export const DOCS_PATH = '/docs';
export const DOCUMENT_PATH = '/openapi.json';

/** The explorer's own scripts and styles, and nothing from elsewhere. */
const POLICY =
  "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';" +
  "base-uri 'none';form-action 'none';frame-ancestors 'none'";

/** All addresses are relative, so that the explorer works below a path prefix too. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Wins: API explorer</title>
    <link rel="icon" href="docs/icon.svg">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="stylesheet" href="docs/explorer.css">
  </head>
  <body>
    <div id="explorer"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#explorer',
  persistAuthorization: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
});
`;

const SWAGGER_UI = pathToFileURL(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** What the page loads, by name: a text, or a file beside a module. */
const FILES: Record<string, { type: string; text: string } | { type: string; beside: string | URL }> = {
  'start.js': { type: JAVASCRIPT, text: START },
  'swagger-ui-bundle.js': { type: JAVASCRIPT, beside: SWAGGER_UI },
  'swagger-ui.css': { type: CSS, beside: SWAGGER_UI },
  'explorer.css': { type: CSS, beside: import.meta.url },
  'icon.svg': { type: 'image/svg+xml', beside: import.meta.url },
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
  for (const [name, file] of Object.entries(FILES)) {
    fastify.get(`${DOCS_PATH}/${name}`, { config }, async (_, reply) =>
      reply.type(file.type).send('text' in file ? file.text : await readFile(new URL(name, file.beside))),
    );
  }
}
