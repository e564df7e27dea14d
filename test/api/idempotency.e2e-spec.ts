import { randomUUID } from 'node:crypto';
import { Sql } from '../../src/database/sql.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import { IdempotencyRepository } from '../../src/idempotency/idempotency.repository.js';
import type { Person } from '../harness/factories.js';

interface Item {
  id: number;
}

let app: TestApp;
let ann: Person;
let api: Client;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
  api = app.as(ann);
});

const withKey = (key: string = randomUUID()) => ({ headers: { 'idempotency-key': key } });
const TAG = { tag: { name: 'Launch' } };

describe('A POST with an Idempotency-Key', () => {
  it('is done once, and repeated gets the stored response', async () => {
    const { body: space } = await api.post<Item>('/api/v1/spaces', { space: { name: 'Work' } });
    const requests: [path: string, body: object][] = [
      ['/api/v1/tags', TAG],
      ['/api/v1/spaces', { space: { name: 'Home', emoji: '🏠' } }],
      ['/api/v1/wins', { win: { body: 'x', space_id: space.id, tag_names: ['Launch', 'New'] } }],
    ];
    for (const [path, body] of requests) {
      const options = withKey();
      const first = await api.post<Item>(path, body, options);
      expect([path, first.status, first.headers.get('idempotency-replayed')]).toEqual([path, 201, null]);
      await api.delete(`${path}/${first.body.id}`);
      for (let n = 0; n < 2; n++) {
        const again = await api.post<Item>(path, body, options);
        expect([again.status, again.text]).toEqual([201, first.text]);
        for (const name of ['location', 'etag']) expect(again.headers.get(name)).toBe(first.headers.get(name));
        expect(again.headers.get('idempotency-replayed')).toBe('true');
      }
      expect((await api.get<Item[]>(path)).body.map(({ id }) => id)).not.toContain(first.body.id);
    }
  });

  it('is done once, however many times it is sent at once', async () => {
    const options = withKey();
    const all = await Promise.all(
      Array.from({ length: 10 }, () => api.post<Item>('/api/v1/spaces', { space: { name: 'Work' } }, options)),
    );
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(all.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect((await api.get<Item[]>('/api/v1/spaces')).body).toHaveLength(1);
  });

  it('is refused for another request', async () => {
    const options = withKey();
    expect((await api.post('/api/v1/tags', TAG, options)).status).toBe(201);
    for (const [path, body] of [
      ['/api/v1/tags', { tag: { name: 'Other' } }],
      ['/api/v1/spaces', { space: { name: 'Work' } }],
    ] as const) {
      const { status, body: error } = await api.post(path, body, options);
      expect([status, error]).toEqual([422, expect.objectContaining({ code: 'idempotency_key_reused' })]);
    }
    expect((await api.get<Item[]>('/api/v1/tags')).body).toHaveLength(1);
  });

  it('belongs to its user', async () => {
    const options = withKey();
    const other = app.as(await app.make.person());
    const [mine, theirs] = [
      await api.post<Item>('/api/v1/tags', TAG, options),
      await other.post<Item>('/api/v1/tags', TAG, options),
    ];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it('is tried anew if it was refused', async () => {
    const options = withKey();
    const { body: tag } = await api.post<Item>('/api/v1/tags', TAG);
    expect((await api.post('/api/v1/tags', { tag: { name: ' ' } }, options)).status).toBe(422);
    const taken = await api.post('/api/v1/tags', TAG, options);
    expect(taken.body).toMatchObject({ details: [{ code: 'taken', params: { id: tag.id } }] });
    await api.delete(`/api/v1/tags/${tag.id}`);
    expect((await api.post('/api/v1/tags', TAG, options)).status).toBe(201);
  });

  it('creates a token once, whose secret is not stored', async () => {
    const options = withKey();
    const body = { token: { name: 'Laptop' } };
    const first = await api.post<Item & { token: string }>('/api/v1/tokens', body, options);
    expect(first.status).toBe(201);
    const again = await api.post('/api/v1/tokens', body, options);
    expect(again).toMatchObject({ status: 409, body: { code: 'already_created' } });
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    const rows = await app.dataSource.query('select idempotency_keys::text from idempotency_keys where user_id = $1', [
      ann.id,
    ]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(first.body.token);
  });

  it.each(['', 'a b', 'é', 'x'.repeat(256)])('%j is no key', async (key) => {
    const answer = await api.post('/api/v1/tags', TAG, {
      headers: { 'idempotency-key': Buffer.from(key).toString('latin1') },
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_idempotency_key' } });
  });

  it('may have up to 255 characters', async () => {
    expect((await api.post('/api/v1/tags', TAG, withKey('~'.repeat(255)))).status).toBe(201);
  });

  it('waits for the first one, and then is told that it is under way', async () => {
    const runner = app.dataSource.createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query(`insert into idempotency_keys (user_id, key, fingerprint) values ($1, 'held', '')`, [ann.id]);
      const answer = await api.post('/api/v1/tags', TAG, withKey('held'));
      expect(answer).toMatchObject({ status: 409, body: { code: 'request_in_progress' } });
      expect(answer.headers.get('retry-after')).toBe('1');
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
    expect((await api.post('/api/v1/tags', TAG, withKey('held'))).status).toBe(201);
  });

  it('is free again after 24 hours', async () => {
    await api.post('/api/v1/tags', TAG, withKey('old'));
    await app.dataSource.query(
      `update idempotency_keys set created_at = now() - interval '25 hours' where user_id = $1`,
      [ann.id],
    );
    await new IdempotencyRepository(new Sql(app.dataSource)).deleteExpired();
    expect(await app.dataSource.query('select from idempotency_keys where user_id = $1', [ann.id])).toEqual([]);
  });
});
