import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { loadConfig, misspelledSettings } from '../../../src/config/config.js';
import { certificateAdvice } from '../../../src/config/database-url.js';
import { parseDuration } from '../../../src/config/duration.js';
import { freePort } from '../../harness/ports.js';
import { expectRefused, Workshop } from '../../harness/processes.js';
import { CERTIFICATE, KEY } from './certificate.js';

const workshop = new Workshop();
afterAll(() => workshop.clean());

const DATABASE = 'postgres://ann@db.example/wins';
const refused = (env: NodeJS.ProcessEnv) => {
  try {
    return `taken: ${JSON.stringify(loadConfig(env))}`;
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
};

/** What is wrong, and what its line must say besides the name. */
const WRONG: [string, string, RegExp][] = [
  ['TRUST_PROXY', '10.0.0.0/99', /such as 10\.0\.0\.0\/8/],
  ['TRUST_PROXY', '10.0.0.0/x', /such as/],
  ['TRUST_PROXY', '2001:db8::/129', /such as/],
  ['TRUST_PROXY', 'proxy.internal', /such as/],
  ['TRUST_PROXY', '10.0.0.1,,10.0.0.2', /such as/],
  [
    'DATABASE_URL',
    `${DATABASE}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`,
    /sslrootcert.*ENOENT.*\/nowhere\/ca\.pem/,
  ],
  ['DATABASE_URL', `${DATABASE}?sslrootcert=/etc/hostname`, /sslrootcert.*PEM/],
  ['DATABASE_URL', `${DATABASE}?sslkey=/etc/hostname`, /sslkey.*PEM/],
  ['DATABASE_URL', `${DATABASE}?sslmode=bogus`, /require.*verify-full/],
  ['DATABASE_URL', `${DATABASE}?sslmode=prefer`, /require.*verify-full/],
  ['DATABASE_URL', `${DATABASE}?sslmode=verify-ca`, /sslrootcert/],
  ['DATABASE_URL', `${DATABASE}?ssl=false`, /sslmode=disable/],
  ...['host', 'port', 'ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'].map((name): [string, string, RegExp] => [
    'DATABASE_URL',
    `${DATABASE}?${name}=1&${name}=2`,
    new RegExp(`must have ${name} only once`),
  ]),
  ['DATABASE_URL', 'postgres://ann:100%@db.example/wins', /%25/],
  ['DATABASE_URL', 'postgres://ann@db.example/wins#1', /%23/],
  ['DATABASE_URL', 'postgres://ann@one.example,two.example/wins', /one host/],
  ['REDIS_URL', 'redis://cache.example/first', /redis:\/\//],
  ['REDIS_URL', 'redis://', /redis:\/\//],
  ['REDIS_URL', 'redis:cache.example', /redis:\/\//],
  ['REDIS_URL', 'redis://:100%@cache.example', /%25/],
  ['HOST', 'http://127.0.0.1', /127\.0\.0\.1/],
  ['HOST', '127.0.0.1:3000', /127\.0\.0\.1/],
  ['HOST', '[::1]', /::/],
  ['HOST', '1.2.3', /127\.0\.0\.1/],
  ['HOST', 'no host', /127\.0\.0\.1/],
  ['PUBLIC_URL', 'https://wins.example/?a=b', /"\?"/],
  ['PUBLIC_URL', 'https://wins.example/#top', /"#"/],
  ['PUBLIC_URL', 'https://ann:secret@wins.example', /password/],
  ['PUBLIC_URL', 'https://wins.example\r\nx: y', /https:/],
  ['PUBLIC_URL', 'https:wins.example', /https:\/\//],
  ['UPGRADE_URL', 'javascript:alert(1)', /https:/],
  ['UPGRADE_URL', 'data:text/html,x', /https:/],
  ['CORS_ORIGINS', '*', /https:\/\/app\.example/],
  ['CORS_ORIGINS', 'https://app.example/path', /origin/],
  ['CORS_ORIGINS', 'ftp://app.example', /origin/],
  ['METRICS_PORT', '3000', /differ from PORT/],
];

it.each(WRONG)('refuses %s=%s in one line that says what is right', (name, value, hint) => {
  const [title, line = '', ...others] = refused({ [name]: value }).split('\n');
  expect([title, others]).toEqual(['Invalid configuration:', []]);
  expect(line).toMatch(new RegExp(`^  ${name}: `));
  expect(line).toMatch(hint);
  expect(line).not.toContain('secret');
});

it.each([
  ['postgres://ann:p@/wins?host=/run/postgresql', 'postgres://ann:p@localhost/wins?host=/run/postgresql'],
  ['postgres://ann@?host=/run/postgresql', 'postgres://ann@localhost?host=/run/postgresql'],
  ['postgres://', 'postgres://localhost'],
  ['postgresql:///wins?host=/tmp&port=5433', 'postgresql://localhost/wins?host=/tmp&port=5433'],
  ['postgres://ann:p%40ss%2F%25@db/wins?options=-c%20a%3Db', 'postgres://ann:p%40ss%2F%25@db/wins?options=-c%20a%3Db'],
  [`${DATABASE}?sslmode=require`, `${DATABASE}?sslmode=verify-full`],
  [`${DATABASE}?ssl=true`, `${DATABASE}?sslmode=verify-full`],
  [`${DATABASE}?ssl=1&sslmode=no-verify`, `${DATABASE}?sslmode=no-verify`],
  [`${DATABASE}?uselibpqcompat=true&sslmode=require`, `${DATABASE}?sslmode=verify-full`],
  [`${DATABASE}?sslmode=disable&application_name=x`, `${DATABASE}?sslmode=disable&application_name=x`],
])('takes DATABASE_URL=%s', (given, taken) => {
  expect(loadConfig({ DATABASE_URL: given }).DATABASE_URL).toBe(taken);
});

it('the built service ends with that line and nothing else', async () => {
  for (const [name, value] of WRONG.filter(([, given]) => /\/99$|sslrootcert=\/nowhere|\/first$|bogus/.test(given))) {
    const ending = await workshop.failToServe({ DATABASE_URL: DATABASE, NODE_ENV: 'production', [name]: value });
    expectRefused(ending, 'Invalid configuration:', new RegExp(`^  ${name}: `));
  }
});

it('a folder as .env, and a file as DATA_DIR, are told in one line', async () => {
  const folder = await workshop.folder();
  await mkdir(join(folder, '.env'));
  expectRefused(await workshop.failToServe({ NODE_ENV: 'test' }, folder), /^Can't read the file \.env \(\w+\)/);
  const file = join(folder, 'file');
  await writeFile(file, '');
  expectRefused(await workshop.failToServe({ NODE_ENV: 'test', DATA_DIR: file }), /Set DATA_DIR to/);
});

it('variables that look like settings are told, others are left alone', () => {
  expect(
    misspelledSettings({
      RATE_LIMIT_PER_MINUT: '5',
      log_level: 'debug',
      DATABASE_URI: DATABASE,
      TRUST_PROXY: '127.0.0.1',
      TRUST_PROXYS: 'x',
      REDIS_URL: '',
      REDIS_URI: 'redis://cache',
      HOSTNAME: 'pod',
      HOME: '/root',
      POSTGRES_PASSWORD: 'secret',
    }),
  ).toEqual([
    { name: 'RATE_LIMIT_PER_MINUT', meant: 'RATE_LIMIT_PER_MINUTE' },
    { name: 'log_level', meant: 'LOG_LEVEL' },
    { name: 'DATABASE_URI', meant: 'DATABASE_URL' },
    { name: 'REDIS_URI', meant: 'REDIS_URL' },
  ]);
});

it.each(['6M', '6m ', '6 m', '90D', '1mo', '2 weeks', '5min', '.5h', '-1d', '0d', '1e3s', '90', '1ms'])(
  '--expires-in takes no %j',
  (text) => expect(parseDuration(text)).toBeNaN(),
);

it.each([
  ['6m', 360_000],
  ['1.5h', 5_400_000],
  ['90d', 7_776_000_000],
  ['2w', 1_209_600_000],
])('--expires-in takes %j', (text, duration) => expect(parseDuration(text)).toBe(duration));

it.each([
  ['ERR_TLS_CERT_ALTNAME_INVALID', /sslmode=verify-ca/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /sslrootcert=/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /sslrootcert=/],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /sslrootcert=/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /sslrootcert=/],
  ['CERT_UNTRUSTED', /sslrootcert=/],
  ['CERT_HAS_EXPIRED', /^$/],
  ['ECONNREFUSED', /^$/],
])('a refused certificate leads to advice that helps: %s', (code, advice) => {
  expect(certificateAdvice(Object.assign(new Error('refused'), { code })) ?? '').toMatch(advice);
});

it('a database whose certificate is from a private authority is told in one line that names sslrootcert', async () => {
  const port = await freePort();
  // PostgreSQL agrees to TLS with one byte, and speaks it from then on.
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      const secured = new TLSSocket(socket, { isServer: true, key: KEY, cert: CERTIFICATE });
      secured.on('error', () => undefined);
    });
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  try {
    const url = `postgres://ann@localhost:${port}/wins?sslmode=require`;
    const ending = await workshop.failToServe({ NODE_ENV: 'production', DATABASE_URL: url });
    expect(ending).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Can't use .*sslrootcert=\/path\/to\/ca\.pem.*\n$/),
    });
    const lines = ending.stdout.split('\n').filter((line) => line !== '');
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  } finally {
    server.close();
  }
});
