import { request, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { serveExplorer } from '../../src/docs/explorer.js';
import { startApp, type TestApp } from '../harness/app.js';

/** The explorer and the document, as browsers and caches see them. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** `fetch` would decompress. */
const get = (path: string, headers: Record<string, string> = {}): Promise<Received> =>
  new Promise((resolve, reject) => {
    request(app.url + path, { headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, bytes: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });

const PATHS = ['/docs', '/openapi.json', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/docs/start.js'];

describe.each(PATHS)('%s', (path) => {
  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
    ['gzip;q=0.001, br ; q=0.0', 'gzip', gunzipSync],
    ['GZIP', 'gzip', gunzipSync],
  ])('is compressed for a client that accepts %s', async (accepted, coding, decompress) => {
    const plain = await get(path);
    const { headers, bytes } = await get(path, { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(coding);
    expect(decompress(bytes).equals(plain.bytes)).toBe(true);
    expect(headers.vary).toContain('Accept-Encoding');
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(headers.etag).not.toBe(plain.headers.etag);
  });

  it.each(['', 'identity', 'deflate', 'gzip;q=0', 'gzip; q=0.0, br;q=0.000', 'brotli, gzipped'])(
    'is not for one that accepts "%s"',
    async (accepted) => {
      expect((await get(path, { 'accept-encoding': accepted })).headers['content-encoding']).toBeUndefined();
    },
  );

  it('is not sent again to who has it', async () => {
    const { headers } = await get(path, { 'accept-encoding': 'gzip' });
    const etag = headers.etag!;
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const again = await get(path, { 'accept-encoding': 'gzip', 'if-none-match': known });
      expect([known, again.status, again.bytes.length, again.headers.etag]).toEqual([known, 304, 0, etag]);
      expect(again.headers['x-request-id']).toBeTruthy();
      expect(again.headers['cache-control']).toBe(headers['cache-control']);
    }
    expect((await get(path, { 'accept-encoding': 'gzip', 'if-none-match': '"other"' })).status).toBe(200);
    expect((await get(path, { 'if-none-match': etag })).status).toBe(200);
  });
});

it('is made again where it could not be made once', async () => {
  const server = fastify();
  const documents = [{ toJSON: () => undefined }, { tries: 2 }, { tries: 3 }]; // the first is no JSON
  serveExplorer(server, () => documents.shift()!, '');
  const address = `${await server.listen({ host: '127.0.0.1', port: 0 })}/openapi.json`;
  expect((await fetch(address)).status).toBe(500);
  for (let n = 0; n < 2; n++) expect(await (await fetch(address)).json()).toEqual({ tries: 2 });
  await server.close();
});

it('names its files by their versions, which never change', async () => {
  const page = (await get('/docs')).bytes.toString();
  const files = [...page.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, address]) => address!);
  expect(files).toHaveLength(5);
  for (const file of files) {
    expect(file).toMatch(/\?v=[\w-]+$/);
    expect((await get(`/${file}`)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get(`/${file}x`)).headers['cache-control']).toBe('private, no-cache');
  }
  expect((await get('/docs')).headers['cache-control']).toBe('private, no-cache');
});

it('is where / leads to, below a path too', async () => {
  const { status, headers } = await get('/');
  expect(status).toBe(302);
  expect(new URL(headers.location!, 'https://example.com/wins/').href).toBe('https://example.com/wins/docs');
});

it('does not compress what the API answers', async () => {
  const ann = await app.make.person();
  const answer = await get('/api/v1/me', { authorization: `Bearer ${ann.token}`, 'accept-encoding': 'gzip, br' });
  expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
});

it('is at the address that clients know', async () => {
  const named = await startApp({ PUBLIC_URL: 'https://example.com/wins/' });
  const answer = await fetch(`${named.url}/`, { redirect: 'manual' });
  expect(answer.headers.get('location')).toBe('https://example.com/wins/docs');
  await named.close();
});
