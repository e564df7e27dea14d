import { setTimeout as sleep } from 'node:timers/promises';
import type { Tag } from '../../src/tags/dto/tag.js';
import { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';
import { PRODUCTION, Workshop, type Service } from '../harness/processes.js';
import { Relay } from '../harness/relay.js';

/** What happens once, though it is asked for many times, of two instances at once and over connections that are cut. */

const workshop = new Workshop();
let person: Person;
let instances: Service[];
let close: () => Promise<void>;

beforeAll(async () => {
  const { url, database, make } = await workshop.migrated();
  person = await make.person();
  close = () => database.close();
  const env = { ...PRODUCTION, LOG_LEVEL: 'error', DATABASE_URL: url };
  instances = [await workshop.serve(env), await workshop.serve(env)];
});
afterAll(async () => {
  await close();
  await workshop.clean();
});

it('50 times: the same key sent 10 times at once, half of it cut on the way, has one effect', async () => {
  const relays = await Promise.all(instances.map(({ url }) => Relay.start(url)));
  const api = new Client(instances[0]!.url, person.token);
  const space = (await api.post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work' } })).body;
  const send = (base: string, round: number, signal?: AbortSignal) =>
    fetch(`${base}api/v1/wins`, {
      method: 'POST',
      signal: signal ?? null,
      headers: {
        authorization: `Bearer ${person.token}`,
        'content-type': 'application/json',
        'idempotency-key': `round-${round}`,
      },
      body: JSON.stringify({ win: { body: `Win ${round}`, space_id: space.id, tag_names: ['Once'] } }),
    });
  for (let round = 0; round < 50; round++) {
    const sending = Array.from({ length: 10 }, (_, n) =>
      n % 2 === 0
        ? send(`${instances[n % 4 === 0 ? 0 : 1]!.url}/`, round)
        : send(relays[n % 4 === 1 ? 0 : 1]!.url, round).catch(() => undefined),
    );
    await sleep(Math.random() * 8);
    for (const relay of relays) for (const { near } of relay.links) near.destroy();
    const answers = (await Promise.all(sending)).filter((answer) => answer !== undefined);
    const final = await send(`${instances[round % 2]!.url}/`, round);
    const { id } = (await final.json()) as { id: number };
    expect([round, final.status, final.headers.get('idempotency-replayed')]).toEqual([round, 201, 'true']);
    for (const answer of answers) {
      if (answer.status === 201) expect(await answer.json().catch(() => ({ id }))).toMatchObject({ id });
      else expect([round, answer.status]).toEqual([round, 409]);
    }
  }
  const wins = await api.get(`/api/v1/wins?per_page=1`);
  expect(wins.headers.get('x-total-count')).toBe('50');
  expect((await api.get<Tag[]>('/api/v1/tags')).body).toMatchObject([{ name: 'Once', wins_count: 50 }]);
  await Promise.all(relays.map((relay) => relay.stop()));
});

it('200 times: of two editors with the same ETag one succeeds and the other is told', async () => {
  const apis = instances.map(({ url }) => new Client(url, person.token));
  const tag = await apis[0]!.post<Tag>('/api/v1/tags', { tag: { name: 'Edited' } });
  const path = `/api/v1/tags/${tag.body.id}`;
  let etag = tag.headers.get('etag')!;
  for (let round = 0; round < 200; round++) {
    const answers = await Promise.all(
      apis.map((api, n) => api.patch<Tag>(path, { tag: { name: `${round} ${n}` } }, { headers: { 'if-match': etag } })),
    );
    expect([round, answers.map(({ status }) => status).toSorted()]).toEqual([round, [200, 412]]);
    const winner = answers.find(({ status }) => status === 200)!;
    const now = await apis[round % 2]!.get<Tag>(path);
    expect([now.body, now.headers.get('etag')]).toEqual([winner.body, winner.headers.get('etag')]);
    etag = now.headers.get('etag')!;
  }
});
