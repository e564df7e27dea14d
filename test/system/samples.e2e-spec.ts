import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createClient, WinsError } from '../../client/dist/index.js';
import { startApp, type TestApp } from '../harness/app.js';
import { document } from '../harness/document.js';

/** The samples of calls in the document, sent for an account that is empty: what they name is missing, and no more. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

interface Sample {
  label: string;
  source: string;
}

const operations = Object.values(document.paths)
  .flatMap((path) => Object.values(path))
  .map((operation) => [operation.operationId, operation] as const);

const AsyncFunction = (async () => {}).constructor as FunctionConstructor;

/** Sends a sample. @returns the status, and the codes of what is wrong */
const send: Record<string, (source: string, token: string) => Promise<unknown[]>> = {
  async curl(source, token) {
    const script = `${source} -s -w '\n%{http_code}'`;
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: { URL: app.url, TOKEN: token } });
    const [status = '', ...body] = stdout.split('\n').toReversed();
    return [Number(status), ...codesIn(body.toReversed().join('\n'))];
  },
  async fetch(source, token) {
    const run = AsyncFunction('url', 'token', `${source}\nreturn response;`);
    const response: Response = await run(app.url, token);
    return [response.status, ...codesIn(await response.text())];
  },
  async client(source, token) {
    let status = 0;
    const noted = async (request: Request) => {
      const response = await fetch(request);
      ({ status } = response);
      return response;
    };
    const wins = createClient({ baseUrl: app.url, token, fetch: noted });
    try {
      await AsyncFunction('wins', source)(wins);
      return [status];
    } catch (error) {
      if (!(error instanceof WinsError)) throw error;
      return [status, ...error.details.map(({ code }) => code)];
    }
  },
};

const codesIn = (body: string): string[] =>
  body.startsWith('{"error"') ? (JSON.parse(body).details ?? []).map(({ code }: { code: string }) => code) : [];

it.each(operations)('%s has samples by curl, fetch and the client that do the same', async (_, operation) => {
  const samples = (operation as unknown as Record<'x-codeSamples', Sample[]>)['x-codeSamples'];
  expect(samples.map(({ label }) => label)).toEqual(['curl', 'fetch', 'client']);
  const [byCurl, byFetch, byClient] = await Promise.all(
    samples.map(async ({ label, source }) => send[label]!(source, (await app.make.person()).token)),
  );
  expect([byFetch, byClient]).toEqual([byCurl, byCurl]);
  const [status, ...codes] = byCurl!;
  expect([200, 201, 204, 404, 422]).toContain(status);
  for (const code of codes) expect(['not_found', 'missing']).toContain(code);
});
