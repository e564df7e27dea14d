import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError as PropertyErrors } from 'class-validator';
import { LRUCache } from 'lru-cache';
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
    if (type === 'body') return validated(metatype, isPlainObject(value) ? value : {});
    const input = validatedQuery(metatype, withoutEmpty(value as object));
    validQueries.set(value as object, input);
    return input;
  }
}

function validated(metatype: Type<object>, fields: object): object {
  const input = plainToInstance(metatype, fields, { strategy: 'excludeAll', exposeUnsetFields: false });
  const errors = validateSync(input);
  if (errors.length > 0) throw new ValidationError(errors.flatMap((error) => faultsOf(error)));
  return input;
}

/** Valid queries by their text. Frontends send the same few over and over. */
const known = new Map<Type<object>, LRUCache<string, object>>();
const MAX_KNOWN = 200;
const MAX_LENGTH = 200;

function validatedQuery(metatype: Type<object>, fields: object): object {
  const ofClass = known.get(metatype) ?? new LRUCache({ max: MAX_KNOWN });
  known.set(metatype, ofClass);
  const text = JSON.stringify(fields);
  const before = ofClass.get(text);
  if (before !== undefined) return before;
  const input = Object.freeze(validated(metatype, fields));
  if (text.length <= MAX_LENGTH) ofClass.set(text, input);
  return input;
}

/** The parameters of a query that have a value, since an empty one is none, but for `after`. */
function withoutEmpty(query: object): object {
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => value !== '' || name === 'after'));
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
  return Object.keys(withoutEmpty(query)).flatMap((name) => {
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
