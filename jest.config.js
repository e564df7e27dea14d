/**
 * `npm test`: the API, in this process and on a PostgreSQL of the run's own, and the units.
 *
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: 'node',
  testRegex: ['test/unit/.*\\.spec\\.ts$', 'test/api/.*\\.e2e-spec\\.ts$'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '\\.ts$': '@swc/jest' },
  globalSetup: './test/harness/global-setup.js',
  globalTeardown: './test/harness/global-teardown.js',
  testTimeout: 60_000,
  maxWorkers: 2,
};
