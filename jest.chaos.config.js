import base from './jest.config.js';

/** What takes minutes. Each file runs by itself: what is measured in one must not be the load of another. */
const { globalSetup: _, globalTeardown: __, ...rest } = base;

/** @type {import('jest').Config} */
export default { ...rest, testRegex: ['test/chaos/.*\\.chaos-spec\\.ts$'], testTimeout: 600_000, maxWorkers: 1 };
