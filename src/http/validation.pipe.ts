import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError as PropertyErrors } from 'class-validator';
import type { FaultCode } from '../common/error-codes.js';
import { ValidationError, type Fault } from '../common/errors.js';
import { isPlainObject } from './fields.js';

/**
 * Validates bodies and queries against their classes and reports all errors at once. Unknown fields are dropped, nothing
 * is converted, and a body that isn't an object counts as one without its wrapper.
 */
export class RequestValidationPipe implements PipeTransform {
  /** @throws ValidationError with every error of the request */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    // A parameter of the path has its own pipe.
    if (metatype === undefined || (type !== 'body' && type !== 'query')) return value;
    const fields = type === 'query' ? withoutEmpty(value) : isPlainObject(value) ? value : {};
    // Most lists are requested without a query; then only the defaults are needed.
    if (fields === undefined && isOptional(metatype)) return new metatype();
    const input: object = plainToInstance(metatype, fields ?? {}, { strategy: 'excludeAll', exposeUnsetFields: false });
    const errors = validateSync(input);
    if (errors.length > 0) throw new ValidationError(errors.flatMap((error) => faultsOf(error)));
    if (type === 'query') validQueries.set(value as object, input);
    return input;
  }
}

const optional = new WeakMap<object, boolean>();

/** Whether a query may have no parameter at all. */
function isOptional(metatype: new () => object): boolean {
  let known = optional.get(metatype);
  if (known === undefined) optional.set(metatype, (known = validateSync(new metatype()).length === 0));
  return known;
}

/** The parameters of a query that have a value, since an empty one is none, but for `after`; `undefined` if no one has. */
function withoutEmpty(query: unknown): Record<string, unknown> | undefined {
  const given = Object.entries(query as object).filter(([name, value]) => value !== '' || name === 'after');
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** The validated queries, by the objects that Fastify parsed. */
const validQueries = new WeakMap<object, object>();

/**
 * The parameters of a query that its class knows, as they were understood, in the order in which they were sent.
 *
 * @param query as Fastify parsed it, after the pipe
 */
export function knownParameters(query: object): [name: string, value: string][] {
  const valid = new Map(Object.entries(validQueries.get(query) ?? {}));
  return Object.keys(query).flatMap((name) => {
    const value: unknown = valid.get(name);
    if (value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]);
  });
}

/** Whose properties are places of an array. */
const placed = (parent: string, property: string) =>
  /^\d+$/.test(property) ? `${parent}[${property}]` : `${parent}.${property}`;

function faultsOf(
  { property, constraints = {}, contexts = {}, children = [] }: PropertyErrors,
  parent?: string,
): Fault[] {
  const field = parent === undefined ? property : placed(parent, property);
  return [
    ...Object.entries(constraints).map(([name, message]) => ({
      field,
      code: name as FaultCode, // each check is named after its code
      message,
      ...(contexts[name] && { params: contexts[name] }),
    })),
    ...children.flatMap((child) => faultsOf(child, field)),
  ];
}
