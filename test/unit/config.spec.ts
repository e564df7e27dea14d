import { loadConfig, settings } from '../../src/config/config.js';
import { StartError } from '../../src/config/start-error.js';

/** The message of the refusal, line by line. */
function refusal(env: NodeJS.ProcessEnv): string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof StartError) return error.message.split('\n');
    throw error;
  }
  throw new Error(`This was taken: ${JSON.stringify(env)}`);
}

describe('loadConfig()', () => {
  it('has a default for everything', () => {
    const config = loadConfig({});
    expect(config).toEqual({
      NODE_ENV: 'development',
      HOST: '127.0.0.1',
      PORT: 3000,
      PUBLIC_URL: undefined,
      UPGRADE_URL: 'https://example.com/upgrade',
      DATABASE_URL: undefined,
      DATABASE_POOL_SIZE: 10,
      PREPARED_STATEMENTS: 'on',
      MIGRATIONS: 'on',
      DATA_DIR: '.data',
      STATEMENT_TIMEOUT: 10_000,
      RATE_LIMIT_PER_MINUTE: 300,
      REDIS_URL: undefined,
      TRUST_PROXY: undefined,
      SHUTDOWN_DELAY: 0,
      METRICS_PORT: undefined,
      CORS_ORIGINS: undefined,
      LOG_LEVEL: 'info',
    });
    expect(Object.keys(config).toSorted()).toEqual(Object.keys(settings).toSorted());
  });

  it('takes what is set, and ignores every other variable', () => {
    const config = loadConfig({
      NODE_ENV: 'production',
      HOST: '::',
      PORT: '8080',
      PUBLIC_URL: 'https://wins.example',
      DATABASE_URL: 'postgres://ann:p%40ss@db.example:5433/wins?sslmode=require',
      DATABASE_POOL_SIZE: '1000',
      LOG_LEVEL: 'silent',
      HOME: '/root',
    });
    expect(config).toMatchObject({
      NODE_ENV: 'production',
      HOST: '::',
      PORT: 8080,
      PUBLIC_URL: 'https://wins.example',
      DATABASE_URL: 'postgres://ann:p%40ss@db.example:5433/wins?sslmode=verify-full',
      DATABASE_POOL_SIZE: 1000,
      LOG_LEVEL: 'silent',
    });
    expect(config).not.toHaveProperty('HOME');
  });

  it('takes an empty variable for one that is not set', () => {
    const empty = Object.fromEntries(Object.keys(settings).map((name) => [name, '']));
    expect(loadConfig(empty)).toEqual(loadConfig({}));
  });

  it('names every fault in one message', () => {
    const lines = refusal({
      NODE_ENV: 'prod',
      PORT: 'http',
      PUBLIC_URL: 'wins.example',
      DATABASE_URL: 'mysql://ann@db.example/wins',
      DATABASE_POOL_SIZE: '1.5',
      MIGRATIONS: 'yes',
      CORS_ORIGINS: 'https://app.example/path',
      LOG_LEVEL: 'loud',
    });
    expect(lines[0]).toBe('Invalid configuration:');
    expect(
      lines
        .slice(1)
        .map((line) => /^ {2}(\w+): .+/.exec(line)?.[1])
        .toSorted(),
    ).toEqual([
      'CORS_ORIGINS',
      'DATABASE_POOL_SIZE',
      'DATABASE_URL',
      'LOG_LEVEL',
      'MIGRATIONS',
      'NODE_ENV',
      'PORT',
      'PUBLIC_URL',
    ]);
  });

  it.each(['0', '-1', '65536', '80.5', '0x50', '1e3', 'http', ' '])('refuses the port %j', (PORT) => {
    expect(refusal({ PORT })[1]).toMatch(/^ {2}PORT: /);
  });

  it.each([
    ['1', 1],
    ['65535', 65_535],
  ])('takes the port %j', (PORT, port) => {
    expect(loadConfig({ PORT }).PORT).toBe(port);
  });

  it.each(['0', '1001', '-1', '1e2', '10 ', 'many'])('refuses a pool of %j connections', (DATABASE_POOL_SIZE) => {
    expect(refusal({ DATABASE_POOL_SIZE })).toEqual([
      'Invalid configuration:',
      '  DATABASE_POOL_SIZE: must be a whole number from 1 to 1000',
    ]);
  });

  it.each(['not a url', 'localhost:5432', 'mysql://db/wins', '/var/run/postgresql'])(
    'refuses the database %j, without repeating what may be a password',
    (DATABASE_URL) => {
      expect(refusal({ DATABASE_URL })).toEqual([
        'Invalid configuration:',
        '  DATABASE_URL: must look like postgres://user:password@host:5432/database',
      ]);
    },
  );

  it('asks for a database in production, and only there', () => {
    for (const DATABASE_URL of [undefined, '']) {
      expect(refusal({ NODE_ENV: 'production', DATABASE_URL })[1]).toMatch(/^ {2}DATABASE_URL: /);
      expect(loadConfig({ NODE_ENV: 'test', DATABASE_URL }).DATABASE_URL).toBeUndefined();
    }
    expect(loadConfig({ NODE_ENV: 'production', DATABASE_URL: 'postgresql://db/wins' }).DATABASE_URL).toBe(
      'postgresql://db/wins',
    );
  });

  it('splits origins at commas', () => {
    const CORS_ORIGINS = 'https://app.example, http://localhost:5173 ,https://other.example:8443';
    expect(loadConfig({ CORS_ORIGINS }).CORS_ORIGINS).toEqual([
      'https://app.example',
      'http://localhost:5173',
      'https://other.example:8443',
    ]);
  });

  it.each([
    '*',
    'app.example',
    'https://app.example/',
    'https://app.example/a',
    'https://App.example',
    'https://a.example,',
    'null',
  ])('refuses the origins %j, which no browser would send', (CORS_ORIGINS) => {
    expect(refusal({ CORS_ORIGINS })[1]).toMatch(/^ {2}CORS_ORIGINS: ".*" is not an origin such as/);
  });
});
