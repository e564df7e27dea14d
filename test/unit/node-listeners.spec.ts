import { addressOf } from '../../src/database/node-listeners.js';

const node = { hostname: 'worker-1.internal', port: '5433' };

describe('The address of a machine of a cluster', () => {
  it.each([
    ['postgres://wins:secret@coordinator:5432/wins', 'postgres://wins:secret@worker-1.internal:5433/wins'],
    ['postgres://wins@localhost/wins?host=/run/postgresql', 'postgres://wins@worker-1.internal:5433/wins'],
    [
      'postgres://wins@a/wins?host=b&port=1&sslmode=verify-full',
      'postgres://wins@worker-1.internal:5433/wins?sslmode=verify-full',
    ],
  ])('takes everything else from %s', (databaseUrl, address) => {
    expect(addressOf(node, databaseUrl)).toBe(address);
  });

  it('may be one of IPv6', () => {
    const url = addressOf({ hostname: '2001:db8::2', port: '5432' }, 'postgres://wins@coordinator/wins');
    expect(url).toBe('postgres://wins@[2001:db8::2]:5432/wins');
  });

  it('is never that of another machine', () => {
    expect(() => addressOf({ hostname: 'no host', port: '5432' }, 'postgres://wins@coordinator/wins')).toThrow(
      'no host',
    );
  });
});
