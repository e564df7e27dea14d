import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorsPage } from '../../errors.js';
import { ERRORS, FAULTS } from '../../src/common/error-codes.js';
import { document } from '../harness/document.js';

it('docs/errors.md lists the codes as they are', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8')).toBe(errorsPage());
});

describe('The OpenAPI document', () => {
  const { schemas } = document.components;

  it('enumerates the codes and says what each means', () => {
    for (const [name, codes] of Object.entries({ ErrorCode: ERRORS, FaultCode: FAULTS })) {
      expect(schemas[name]).toMatchObject({ type: 'string', enum: Object.keys(codes) });
      for (const code of Object.keys(codes)) expect(schemas[name]?.description).toContain(`| \`${code}\``);
    }
    for (const name of ['ApiError', 'PlanLimitError', 'ValidationError']) {
      expect(schemas[name]?.properties?.code).toEqual({ $ref: '#/components/schemas/ErrorCode' });
    }
    expect(schemas.Fault?.properties?.code).toEqual({ $ref: '#/components/schemas/FaultCode' });
  });

  it('has a name of its own for each body of a request', () => {
    const bodies = Object.values(document.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
      .map(({ schema }) => schema.$ref?.split('/').at(-1));
    expect(bodies.length).toBeGreaterThan(5);
    for (const name of bodies) expect(name).toMatch(/^[A-Z]\w+Request$/);
  });

  it('neither shadows a global of generated clients nor says what it does not know', () => {
    expect(Object.keys(schemas).filter((name) => name in globalThis)).toEqual([]);
    expect(JSON.stringify(document)).not.toMatch(/"(readOnly|contact|license)"/);
  });
});
