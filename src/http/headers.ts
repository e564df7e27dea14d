import { resolveSecurityHeaders } from './nest-internals.js';

/** The headers of every response, apart from the request's id and Nest's security headers. */
export const COMMON_HEADERS = { 'cache-control': 'private, no-cache', vary: 'Authorization, Origin' };

/** Nest's own list. `useSecurityHeaders()` would set them one by one, which is slow. */
const { headers: securityHeaders } = resolveSecurityHeaders({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: "'none'", frameAncestors: "'none'" } },
  xFrameOptions: { action: 'deny' },
});

/** The headers of every response, apart from the request's id. */
export const RESPONSE_HEADERS = { ...Object.fromEntries(securityHeaders), ...COMMON_HEADERS };

/** The response headers that a script of another origin may read. */
export const EXPOSED_HEADERS =
  'X-Request-Id, X-Total-Count, X-Page, X-Per-Page, X-Next-Cursor, Link, Location, ETag, Idempotency-Replayed, ' +
  'Content-Disposition, WWW-Authenticate, Retry-After, ' +
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';
