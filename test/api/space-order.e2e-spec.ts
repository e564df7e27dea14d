import type { Space } from '../../src/spaces/dto/space.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';

let app: TestApp;
let ann: Person;
let api: Client;
let ids: number[];

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person({ plan: 'pro' });
  api = app.as(ann);
  ids = [];
  for (const name of ['a', 'b', 'c']) ids.push(await create(name));
});

const SPACES = '/api/v1/spaces';
const create = async (name: string) => (await api.post<Space>(SPACES, { space: { name } })).body.id;
const order = (space_ids: number[]) => api.put<Space[]>(`${SPACES}/order`, { order: { space_ids } });
const spaces = async () => (await api.get<Space[]>(SPACES)).body;

describe('PUT /api/v1/spaces/order', () => {
  it('gives all spaces the positions 0 to n - 1 in the order of their ids', async () => {
    const [a, b, c] = ids as [number, number, number];
    const { status, body } = await order([c, a, b]);
    expect(status).toBe(200);
    expect(body.map(({ id, position }) => [id, position])).toEqual([
      [c, 0],
      [a, 1],
      [b, 2],
    ]);
    expect(await spaces()).toEqual(body);
  });

  it('refuses what is not all spaces, each once, with the ids, and changes nothing', async () => {
    const [a, b, c] = ids as [number, number, number];
    const before = await spaces();
    const stranger = app.as(await app.make.person());
    const theirs = (await stranger.post<Space>(SPACES, { space: { name: 'x' } })).body.id;
    const cases: [number[], object[]][] = [
      [[a], [{ code: 'missing', params: { ids: [b, c] } }]],
      [[a, b, c, theirs], [{ code: 'not_found', params: { ids: [theirs] } }]],
      [[a, b, c, a], [{ code: 'duplicate', params: { ids: [a] } }]],
      [
        [c, c, theirs],
        [{ code: 'missing' }, { code: 'not_found' }, { code: 'duplicate' }],
      ],
    ];
    for (const [given, details] of cases) {
      const answer = await order(given);
      expect([answer.status, answer.body]).toMatchObject([
        422,
        { details: details.map((fault) => ({ field: 'order.space_ids', ...fault })) },
      ]);
    }
    expect(await spaces()).toEqual(before);
  });

  it('is of all spaces also where some come and go at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const known = (await spaces()).map(({ id }) => id);
      const [answer] = await Promise.all([
        order(known.toReversed()),
        create('new'),
        api.delete(`${SPACES}/${known[0]}`),
      ]);
      if (answer.status === 200) {
        const places = answer.body.map(({ position }) => position);
        expect(places).toEqual(places.map((_, n) => n));
      } else expect(answer.status).toBe(422);
    }
  });
});

describe('DELETE /api/v1/spaces/:id?move_wins_to=', () => {
  it('moves the wins, and then deletes the space', async () => {
    const [from, to] = ids as [number, number];
    for (let n = 0; n < 3; n++)
      await api.post('/api/v1/wins', { win: { body: 'x', space_id: from, tag_names: ['t'] } });
    expect((await api.delete(`${SPACES}/${from}?move_wins_to=${to}`)).status).toBe(204);
    expect((await spaces()).map(({ id, wins_count }) => [id, wins_count])).toEqual([
      [to, 3],
      [ids[2], 0],
    ]);
    expect((await api.get<{ space: { id: number } }[]>('/api/v1/wins')).body.map(({ space }) => space.id)).toEqual([
      to,
      to,
      to,
    ]);
    expect((await api.get<{ wins_count: number }[]>('/api/v1/tags')).body[0]!.wins_count).toBe(3);
  });

  it('refuses a target that is not another of the own spaces, and changes nothing', async () => {
    const [from] = ids as [number];
    await api.post('/api/v1/wins', { win: { body: 'x', space_id: from } });
    const stranger = app.as(await app.make.person());
    const theirs = (await stranger.post<Space>(SPACES, { space: { name: 'x' } })).body.id;
    for (const target of [from, theirs, 0, 'x']) {
      const answer = await api.delete(`${SPACES}/${from}?move_wins_to=${target}`);
      expect([target, answer.status, answer.body]).toMatchObject([
        target,
        422,
        { details: [{ field: 'move_wins_to' }] },
      ]);
    }
    expect((await api.delete(`${SPACES}/${theirs}?move_wins_to=${from}`)).status).toBe(404);
    expect((await spaces())[0]!.wins_count).toBe(1);
  });
});
