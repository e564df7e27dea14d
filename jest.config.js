/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testRegex: ['test/unit/.*\\.spec\\.ts$', 'src/.*\\.spec\\.ts$', 'test/.*\\.e2e-spec\\.ts$'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '\\.ts$': '@swc/jest' },
  globalSetup: './test/harness/global-setup.js',
  globalTeardown: './test/harness/global-teardown.js',
  testTimeout: 60_000,
  maxWorkers: 2,
};
