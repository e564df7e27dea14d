import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasTag } from '../common/etag.js';
import { COMMON_HEADERS } from '../http/headers.js';

export const DOCS_PATH = '/docs';
const DOCUMENT_PATH = '/openapi.json';

/** The explorer's own scripts and styles, and nothing from elsewhere. */
const POLICY =
  "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';" +
  "base-uri 'none';form-action 'none';frame-ancestors 'none'";

/** All URLs are relative, so that the explorer also works under a path prefix. @param url of a file, by its name */
const page = (url: (name: string) => string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Wins: API explorer</title>
    <link rel="icon" href="${url('icon.svg')}">
    <link rel="stylesheet" href="${url('swagger-ui.css')}">
    <link rel="stylesheet" href="${url('explorer.css')}">
  </head>
  <body>
    <div id="explorer"></div>
    <script src="${url('swagger-ui-bundle.js')}"></script>
    <script src="${url('start.js')}"></script>
  </body>
</html>
`;

const SWAGGER_UI = pathToFileURL(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** The files that the page loads, by name, each with the URL that the name is relative to. */
const FILES: Record<string, { type: string; base: string | URL }> = {
  'start.js': { type: JAVASCRIPT, base: import.meta.url },
  'swagger-ui-bundle.js': { type: JAVASCRIPT, base: SWAGGER_UI },
  'swagger-ui.css': { type: CSS, base: SWAGGER_UI },
  'explorer.css': { type: CSS, base: import.meta.url },
  'icon.svg': { type: 'image/svg+xml', base: import.meta.url },
};

/** A file in each content coding. All responses share the buffers. */
interface Asset {
  type: string;
  version: string;
  codings: Record<'br' | 'gzip' | 'identity', Buffer>;
}

/** Compresses a file once, with fast settings: the first request waits for it. */
async function assetOf(type: string, content: string | Buffer): Promise<Asset> {
  const identity = Buffer.from(content);
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    promisify(gzip)(identity),
  ]);
  const version = createHash('sha256').update(identity).digest('base64url').slice(0, 16);
  return { type, version, codings: { br, gzip: zipped, identity } };
}

/** The smallest coding that the client accepts (RFC 9110, 12.5.3). */
function codingOf(accepted = ''): keyof Asset['codings'] {
  const accepts = (coding: string) =>
    new RegExp(`(?:^|,)\\s*${coding}\\s*(?:$|,|;(?!\\s*q=0(?:\\.0*)?\\s*(?:$|,)))`, 'i').test(accepted);
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : 'identity';
}

const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Sends an asset, or a 304. A URL with the asset's version never changes, so it may be cached forever. */
function send(request: FastifyRequest, reply: FastifyReply, { type, version, codings }: Asset): FastifyReply {
  const coding = codingOf(request.headers['accept-encoding']);
  const etag = `"${version}-${coding}"`;
  reply.headers({ etag, vary: `${COMMON_HEADERS.vary}, Accept-Encoding` });
  if ((request.query as { v?: unknown }).v === version) reply.header('cache-control', IMMUTABLE);
  if (hasTag(request.headers['if-none-match'] ?? '', etag)) return reply.status(304).send();
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.type(type).send(codings[coding]);
}

/** Memoizes a function, unless it fails. */
function once<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () =>
    (created ??= create().catch((error: unknown) => {
      created = undefined;
      throw error;
    }));
}

/** The files, each read at its first request. */
const files = Object.entries(FILES).map(([name, { type, base }]) => ({
  name,
  asset: once(async () => assetOf(type, await readFile(new URL(name, base)))),
}));

async function pageOfExplorer(): Promise<Asset> {
  const versions = new Map(
    await Promise.all(files.map(async ({ name, asset }) => [name, (await asset()).version] as const)),
  );
  return assetOf(
    'text/html; charset=utf-8',
    page((name) => `docs/${name}?v=${versions.get(name)}`),
  );
}

/**
 * Serves the explorer and the OpenAPI document, both without a token. `/` redirects to the explorer.
 *
 * @param createDocument called at the first request for it
 * @param base the public URL of the service, empty if unknown
 */
export function serveExplorer(fastify: FastifyInstance, createDocument: () => object, base: string): void {
  const config = { public: true };
  const explorer = once(pageOfExplorer);
  const document = once(() => assetOf('application/json; charset=utf-8', JSON.stringify(createDocument())));
  fastify.get('/', { config }, (_, reply) => reply.redirect(`${base === '' ? '.' : base}${DOCS_PATH}`));
  fastify.get(DOCUMENT_PATH, { config }, async (request, reply) => send(request, reply, await document()));
  fastify.get(DOCS_PATH, { config }, async (request, reply) =>
    request.url.split('?', 1)[0]!.endsWith('/')
      ? reply.redirect(`..${DOCS_PATH}`)
      : send(request, reply.header('content-security-policy', POLICY), await explorer()),
  );
  for (const { name, asset } of files) {
    fastify.get(`${DOCS_PATH}/${name}`, { config }, async (request, reply) => send(request, reply, await asset()));
  }
}
