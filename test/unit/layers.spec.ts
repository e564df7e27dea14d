import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { layerOf, withLayers } from '../../layers.js';

const root = join(import.meta.dirname, '../../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(ts|js)$/.test(name));

/** All imports within src: static, dynamic, of types only, and augmentations of other modules of src. */
const imports = files.flatMap((file) => {
  const text = readFileSync(join(root, file), 'utf8');
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport|\bimport\(|\bdeclare module)\s*'(\.[^']+)'/g)];
  return specifiers.map(([, specifier]) => {
    const target = relative(root, join(root, dirname(file), specifier!));
    return { file, target: files.includes(target) ? target : target.replace(/\.js$/, '.ts') };
  });
});

it('every import points to the same folder or to a layer below', () => {
  expect(imports.length).toBeGreaterThan(200);
  const wrong = imports.filter(({ file, target }) => {
    const [from, to] = [layerOf(file), layerOf(target)];
    return from.member !== to.member && from.place >= to.place;
  });
  expect(wrong.map(({ file, target }) => `${file} -> ${target}`)).toEqual([]);
});

it('only one file imports what frameworks do not export', () => {
  const deep = files.filter((file) =>
    /from '(?:@nestjs\/[^/']+\/|typeorm\/|fastify\/|pg\/)/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(deep).toEqual(['http/nest-internals.ts']);
});

it('docs/architecture.md draws the layers as they are', () => {
  const text = readFileSync(join(root, '../docs/architecture.md'), 'utf8');
  expect(withLayers(text)).toBe(text);
});
