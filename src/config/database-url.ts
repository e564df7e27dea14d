import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

const EXAMPLE = 'postgres://user:password@host:5432/database';

/**
 * Accepted values of `sslmode`, and what the driver is given instead. The driver also treats `require` as `verify-full`,
 * but prints a warning; it doesn't support libpq's `prefer` and `allow`.
 */
const SSL_MODES = new Map([
  ['disable', 'disable'],
  ['no-verify', 'no-verify'],
  ['require', 'verify-full'],
  ['verify-ca', 'verify-ca'],
  ['verify-full', 'verify-full'],
]);

/** The parameters that name a file, and how to validate its content. */
const FILES = { sslrootcert: isCertificate, sslcert: isCertificate, sslkey: isPrivateKey };

/** Parameters that must not be repeated: the driver would silently use the last one. */
const SINGLE = ['host', 'port', 'ssl', 'sslmode', ...Object.keys(FILES)];

/**
 * Validates a connection string and rewrites it so that the driver and TypeORM read it alike: libpq's form for Unix
 * sockets (`postgres://user@/database?host=/run/postgresql`) gets a host, and `sslmode` a value that the driver knows.
 *
 * @throws Error that says what is expected, without repeating what may be a password
 */
export function normalizeDatabaseUrl(input: string): string {
  const text = input.replace(/^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)(?=[/?]|$)/, '$1localhost');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:\/\//.test(text)) throw new Error(`must look like ${EXAMPLE}`);
  if (![url.username, url.password, url.pathname, url.hostname].every(isDecodable))
    throw new Error(`must escape each % in user, password and database as %25`);
  if (url.hash !== '') throw new Error(`must escape # as %23`);
  if (url.hostname.includes(',')) throw new Error(`must name only one host`);
  const { searchParams } = url;
  const repeated = SINGLE.find((name) => searchParams.getAll(name).length > 1);
  if (repeated !== undefined) throw new Error(`must have ${repeated} only once`);
  checkFiles(searchParams);
  return setSslMode(searchParams) ? url.href : text;
}

function checkFiles(parameters: URLSearchParams): void {
  for (const [name, isValid] of Object.entries(FILES)) {
    const file = parameters.get(name);
    if (file === null) continue;
    let content: Buffer;
    try {
      content = readFileSync(file);
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? error.code : error;
      throw new Error(`has a file as ${name} that can't be read (${reason}): ${file}`, { cause: error });
    }
    if (!isValid(content)) throw new Error(`has a file as ${name} that isn't in PEM format: ${file}`);
  }
}

/** @returns whether it changed the parameters */
function setSslMode(parameters: URLSearchParams): boolean {
  if (parameters.has('ssl') && !['true', '1'].includes(parameters.get('ssl')!))
    throw new Error('must use sslmode=disable instead of ssl=…');
  const named = parameters.get('sslmode') ?? (parameters.has('ssl') ? 'verify-full' : null);
  if (named === null) return false;
  const mode = SSL_MODES.get(named);
  if (mode === undefined) throw new Error(`must have one of ${[...SSL_MODES.keys()].join(', ')} as sslmode`);
  if (mode === 'verify-ca' && !parameters.has('sslrootcert'))
    throw new Error('must have the certificate authority as sslrootcert=/path/to/ca.pem for sslmode=verify-ca');
  parameters.delete('ssl');
  parameters.delete('uselibpqcompat');
  parameters.set('sslmode', mode);
  if (mode === 'verify-ca') parameters.set('uselibpqcompat', 'true'); // otherwise the driver verifies the host name too
  return true;
}

/** What to do about a rejected server certificate; `undefined` for any other error. */
export function certificateAdvice(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `Use a host name that is in its certificate, or add sslmode=verify-ca and sslrootcert to DATABASE_URL.`;
  if (/SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_UNTRUSTED/.test(code))
    return `Its certificate is from an unknown authority: add sslrootcert=/path/to/ca.pem to DATABASE_URL.`;
  return undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isCertificate(pem: Buffer): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined && pem.includes('-----BEGIN');
  } catch {
    return false;
  }
}

function isPrivateKey(pem: Buffer): boolean {
  try {
    return createPrivateKey(pem).type === 'private';
  } catch {
    return false;
  }
}
