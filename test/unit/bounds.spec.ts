import { loadConfig } from '../../src/config/config.js';

const accepts = (name: string, value: string) => {
  try {
    loadConfig({ NODE_ENV: 'test', [name]: value });
    return true;
  } catch {
    return false;
  }
};

describe('loadConfig()', () => {
  it.each([
    ['PORT', 1, 65_535],
    ['METRICS_PORT', 1, 65_535],
    ['DATABASE_POOL_SIZE', 1, 1000],
    ['STATEMENT_TIMEOUT', 100, 600_000],
    ['RATE_LIMIT_PER_MINUTE', 0, 1_000_000],
    ['SHUTDOWN_DELAY', 0, 300_000],
  ])('takes %s from %i to %i and no further', (name, min, max) => {
    for (const value of [min, max])
      expect(loadConfig({ NODE_ENV: 'test', [name]: String(value) })).toMatchObject({ [name]: value });
    for (const value of [min - 1, max + 1, min + 0.5, `${max}x`, '1e3', ' 200']) {
      expect([value, accepts(name, String(value))]).toEqual([value, false]);
    }
  });

  it.each([
    ['NODE_ENV', ['development', 'test'], ['prod', 'Test']],
    ['PREPARED_STATEMENTS', ['on', 'off'], ['true', 'ON', '1']],
    ['MIGRATIONS', ['on', 'off'], ['true', 'OFF', '0']],
    ['LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], ['verbose', 'WARN']],
    ['PUBLIC_URL', ['http://x', 'https://x/y'], ['x', 'ftp://x', '/y']],
    ['UPGRADE_URL', ['http://x', 'https://x/y'], ['x', 'javascript:1']],
    ['DATABASE_URL', ['postgres://u:p@h/d', 'postgresql://u:p@h/d'], ['mysql://h/d', 'h/d']],
    ['REDIS_URL', ['redis://h:6379', 'rediss://h:6379'], ['http://h', 'h:6379']],
    ['TRUST_PROXY', ['10.0.0.1', '10.0.0.0/8, ::1'], ['true', 'proxy.example']],
    ['CORS_ORIGINS', ['https://a.example', 'https://a.example, http://b.example:1'], ['*', 'https://a.example/', 'a']],
  ])('takes for %s what it can be and nothing else', (name, good, bad) => {
    for (const value of good) expect([value, accepts(name, value)]).toEqual([value, true]);
    for (const value of bad) expect([value, accepts(name, value)]).toEqual([value, false]);
  });
});
