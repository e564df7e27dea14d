import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorsPage } from '../../errors.js';

it('docs/errors.md lists the codes as they are', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8')).toBe(errorsPage());
});
