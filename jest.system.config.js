import base from './jest.config.js';

/**
 * `npm run test:system`: processes, faults, shutdown, the command line, fuzz, models, contention, attacks.
 *
 * @type {import('jest').Config}
 */
export default { ...base, testRegex: ['test/system/.*\\.e2e-spec\\.ts$'], testTimeout: 300_000 };
