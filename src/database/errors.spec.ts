import { DatabaseError } from 'pg';
import { PlanLimitError, UnavailableError, ValidationError } from '../common/errors.js';
import { NoTurnError, REFUSALS, translateDatabaseError } from './errors.js';

/** An error as PostgreSQL sends it. */
const refusal = (code: string, fields: object = {}) =>
  Object.assign(new DatabaseError('something', 9, 'error'), { code, ...fields });

/** An error of a socket or the driver. */
const failure = (message: string, code?: string) => Object.assign(new Error(message), code !== undefined && { code });

describe('translateDatabaseError()', () => {
  it.each([
    ['08000', 'connection exception'],
    ['08001', 'unable to connect'],
    ['08003', 'connection does not exist'],
    ['08006', 'connection failure'],
    ['28000', 'the user may not connect any more'],
    ['28P01', 'the password was changed'],
    ['3D000', 'the database is gone'],
    ['53000', 'insufficient resources'],
    ['53100', 'disk full'],
    ['53200', 'out of memory'],
    ['53300', 'too many connections'],
    ['53400', 'configuration limit exceeded'],
    ['57P01', 'shutting down'],
    ['57P02', 'crashed'],
    ['57P03', 'starting up'],
    ['57P05', 'an idle session timed out'],
    ['57014', 'a statement timed out'],
    ['55P03', 'a lock was not available in time'],
    ['25P03', 'an idle transaction timed out'],
    ['40001', 'serialization failure'],
    ['40P01', 'deadlock'],
  ])('takes SQLSTATE %s (%s) for "not now"', (code) => {
    expect(translateDatabaseError(refusal(code))).toBeInstanceOf(UnavailableError);
    expect(translateDatabaseError(refusal(code))).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });

  it.each(['22001', '22P02', '23502', '42601', '42703', '42P01', '42501', '21000', 'P0001', 'XX000', '54000', '57000'])(
    'takes SQLSTATE %s for a fault of the service',
    (code) => {
      expect(translateDatabaseError(refusal(code))).toBeUndefined();
    },
  );

  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'ECONNABORTED',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
  ])('takes %s for a connection that is not there', (code) => {
    expect(translateDatabaseError(failure('something', code))).toBeInstanceOf(UnavailableError);
  });

  it.each([
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
  ])('takes "%s" for a connection that was lost', (message) => {
    expect(translateDatabaseError(failure(message))).toBeInstanceOf(UnavailableError);
  });

  it('knows a statement that had no turn', () => {
    expect(translateDatabaseError(new NoTurnError())).toBeInstanceOf(UnavailableError);
  });

  it.each([failure('something'), failure('something', 'ENOENT'), 'no error', undefined, null, { code: '57014' }])(
    'makes nothing of what is something else: %p',
    (error) => {
      expect(translateDatabaseError(error)).toBeUndefined();
    },
  );

  it('goes by the constraint where there is one, whatever the SQLSTATE', () => {
    for (const constraint of Object.keys(REFUSALS)) {
      expect(translateDatabaseError(refusal('23514', { constraint }))?.status).toBeLessThan(500);
    }
    expect(translateDatabaseError(refusal('23514', { constraint: 'ck_tags_wins_count' }))).toBeUndefined();
    expect(translateDatabaseError(refusal('23505', { constraint: 'uq_tags_name' }))).toBeInstanceOf(ValidationError);
    const full = translateDatabaseError(refusal('23514', { constraint: 'ck_spaces_plan_limit', detail: '3' }));
    expect(full).toBeInstanceOf(PlanLimitError);
    expect(full?.message).toBe('Your plan is limited to 3 spaces');
  });
});
