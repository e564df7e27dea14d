import { readFileSync } from 'node:fs';
import { settings } from '../../src/config/config.js';

const names = Object.keys(settings).toSorted();

/** What a pattern's first group finds in a file at the top level, once for each time it is there. */
const find = (file: string, pattern: RegExp) =>
  [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name]) => name).toSorted();

it('docs/configuration.md has a row for every setting, and for nothing else', () => {
  expect(find('docs/configuration.md', /^\|\s*`([A-Z][A-Z0-9_]+)`\s*\|/gm)).toEqual(names);
});

it('.env.example names every setting once, and nothing else', () => {
  expect(find('.env.example', /^#?\s*([A-Z][A-Z0-9_]+)=/gm)).toEqual(names);
});
