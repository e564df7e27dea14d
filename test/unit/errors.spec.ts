import { DatabaseError } from 'pg';
import { PlanLimitError, UnavailableError, ValidationError } from '../../src/common/errors.js';
import { isRefusedBy, isUnfit, neverSent, NoTurnError, translateDatabaseError } from '../../src/database/errors.js';
import { ALL_REFUSALS } from '../../src/refusals.js';

/** Errors that PostgreSQL 15 knows, by class (its appendix A); those of each that mean "not now". */
const CLASSES: [all: string, notNow: string][] = [
  ['03000', ''],
  ['08000 08003 08006 08001 08004 08007 08P01', '08000 08003 08006 08001 08004 08007 08P01'],
  ['09000 0A000 0B000 0F000 0F001 0L000 0LP01 0P000 0Z000 0Z002', ''],
  ['20000 21000', ''],
  ['22000 22001 22003 22004 22007 22008 22012 22021 22023 22026 2202E 22P01 22P02 22P03 22P05 22030 22032', ''],
  ['23000 23001 23502 23503 23505 23514 23P01', ''],
  ['24000', ''],
  ['25000 25001 25002 25003 25004 25005 25006 25007 25008 25P01 25P02 25P03 25P04', '25006 25P03 25P04'],
  ['26000', '26000'],
  ['27000', ''],
  ['28000 28P01', '28000 28P01'],
  ['2B000 2BP01 2D000 2F000 2F002 2F003 2F004 2F005', ''],
  ['34000 38000 38001 38002 38003 38004 39000 39001 39004 39P01 39P02 39P03', ''],
  ['3B000 3B001', ''],
  ['3D000', '3D000'],
  ['3F000', ''],
  ['40000 40001 40002 40003 40P01', '40000 40001 40002 40003 40P01'],
  [
    '42000 42501 42601 42602 42611 42622 42701 42702 42703 42704 42710 42712 42723 42725 42803 42804 42809 42830 42846 ' +
      '42883 42939 42P01 42P02 42P03 42P04 42P05 42P06 42P07 42P08 42P09 42P10 42P11 42P12 42P13 42P14 42P15 42P16 ' +
      '42P17 42P18 42P19 42P20 42P21 42P22 428C9',
    '42501 42P05',
  ],
  ['44000', ''],
  ['53000 53100 53200 53300 53400', '53000 53100 53200 53300 53400'],
  ['54000 54001 54011 54023', ''],
  ['55000 55006 55P02 55P03 55P04', '55000 55006 55P03'],
  ['57000 57014 57P01 57P02 57P03 57P04 57P05', '57000 57014 57P01 57P02 57P03 57P04 57P05'],
  ['58000 58030 58P01 58P02', '58000 58030 58P01 58P02'],
  ['72000', '72000'],
  ['F0000 F0001', ''],
  ['HV000 HV00N', ''],
  ['P0000 P0001 P0002 P0003 P0004', ''],
  ['XX000 XX001 XX002', ''],
];

const refusal = (code: string, fields: object = {}) =>
  Object.assign(new DatabaseError('refused', 0, 'error'), { code, ...fields });

const codes = CLASSES.flatMap(([all, notNow]) => {
  const known = new Set(notNow.split(' '));
  return all.split(' ').map((code): [string, boolean] => [code, known.has(code)]);
});

const mayBeWritten = (error: Error) => (translateDatabaseError(error) as UnavailableError).mayBeWritten;

describe('translateDatabaseError()', () => {
  it.each(codes)('knows whether %s is "not now": %s', (code, isNotNow) => {
    const translated = translateDatabaseError(refusal(code));
    expect(translated instanceof UnavailableError).toBe(isNotNow);
    expect(translated === undefined).toBe(!isNotNow);
  });

  it.each(['08006', '08007', '08P01', '40003', '57P01', '57P02'])('does not promise after %s', (code) => {
    expect(mayBeWritten(refusal(code))).toBe(true);
    expect(mayBeWritten(neverSent(refusal(code)))).toBe(false);
  });

  it.each(['25006', '26000', '40001', '40P01', '53100', '53300', '55P03', '57014', '57P03'])(
    'promises after %s that nothing was written',
    (code) => expect(mayBeWritten(refusal(code))).toBe(false),
  );

  it.each([
    ['Connection terminated unexpectedly', true],
    ['Connection terminated due to connection timeout', false],
    ['timeout exceeded when trying to connect', false],
    ['Client has encountered a connection error and is not queryable', false],
    ['Client was closed and is not queryable', false],
  ])('tells what the driver means by "%s"', (message, isUnknown) => {
    expect(mayBeWritten(new Error(message))).toBe(isUnknown);
    expect(mayBeWritten(neverSent(new Error(message)))).toBe(false);
  });

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
  ])('does not promise after %s', (code) => {
    expect(mayBeWritten(Object.assign(new Error('lost'), { code }))).toBe(true);
  });

  it('knows a statement that had no turn', () => {
    expect(mayBeWritten(new NoTurnError())).toBe(false);
  });

  it.each([new Error('something'), Object.assign(new Error('x'), { code: 'ENOENT' }), 'no error', undefined, null])(
    'makes nothing of what is something else: %p',
    (error) => expect(translateDatabaseError(error)).toBeUndefined(),
  );

  it('goes by the constraint where there is one, whatever the SQLSTATE', () => {
    for (const constraint of Object.keys(ALL_REFUSALS)) {
      expect(translateDatabaseError(refusal('23514', { constraint }), ALL_REFUSALS)?.status).toBeLessThan(500);
    }
    expect(
      translateDatabaseError(refusal('23514', { constraint: 'ck_tags_wins_count' }), ALL_REFUSALS),
    ).toBeUndefined();
    expect(translateDatabaseError(refusal('23505', { constraint: 'uq_tags_name' }), ALL_REFUSALS)).toBeInstanceOf(
      ValidationError,
    );
    const full = translateDatabaseError(
      refusal('23514', { constraint: 'ck_spaces_plan_limit', detail: '3' }),
      ALL_REFUSALS,
    );
    expect(full).toBeInstanceOf(PlanLimitError);
    expect(full?.message).toBe('Your plan is limited to 3 spaces');
  });

  it.each([
    ['23505', 'duplicate key value violates unique constraint "uq_tags_name_102057"'],
    ['23505', 'doppelter Schlüsselwert verletzt Unique-Constraint »uq_tags_name_102057«'],
    ['XX000', 'duplicate key value violates unique constraint "uq_tags_name_102057"'],
  ])('knows a constraint of a machine of a cluster, %s: %s', (code, message) => {
    const error = Object.assign(refusal(code), { message });
    expect(translateDatabaseError(error, ALL_REFUSALS)).toBeInstanceOf(ValidationError);
    expect(isRefusedBy('uq_tags_name', error)).toBe(true);
  });

  it('does not promise after a commit on a machine of a cluster that was lost', () => {
    const message = 'could not commit transaction for shard 102017 on at least one active node';
    expect(mayBeWritten(Object.assign(refusal('XX000'), { message }))).toBe(true);
  });
});

describe('isUnfit()', () => {
  it.each(['08006', '25006', '25P02', '25P03', '25P04', '26000', '42P05', '57P01', '57P02', '57P03'])(
    'is so after %s',
    (code) => expect(isUnfit(refusal(code))).toBe(true),
  );
  it.each(['23505', '23514', '40001', '40P01', '55P03', '57014', '53100', '22P02'])('is not so after %s', (code) =>
    expect(isUnfit(refusal(code))).toBe(false),
  );
  it('is so after a plan that has become stale, and not after what the service itself throws', () => {
    expect(isUnfit(refusal('0A000', { routine: 'RevalidateCachedQuery' }))).toBe(true);
    expect(isUnfit(refusal('0A000'))).toBe(false);
    expect(isUnfit(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isUnfit(new Error('Something else'))).toBe(false);
  });
});
