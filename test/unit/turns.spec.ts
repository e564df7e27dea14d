import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { NoTurnError } from '../../src/database/errors.js';
import { PLACES, Turns } from '../../src/database/turns.js';

describe('Turns', () => {
  it('admits who needs fewer places once the one before gives up, and forgets users who have no turn', async () => {
    const turns = new Turns(200);
    const end = new EventEmitter();
    const held = turns.run(1, 1, () => once(end, 'end'));
    const large = turns.run(1, PLACES, () => Promise.resolve('large'));
    await sleep(50);
    const small = turns.run(1, 1, () => Promise.resolve('small'));
    expect([turns.waitingCount, turns.userCount]).toEqual([2, 1]);
    const [refused, admitted] = await Promise.allSettled([large, small]);
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(NoTurnError) });
    expect(admitted).toEqual({ status: 'fulfilled', value: 'small' });
    end.emit('end');
    await held;
    expect([turns.waitingCount, turns.userCount]).toEqual([0, 0]);
  });
});
