import { startApp, type TestApp } from '../harness/app.js';
import { Client } from '../harness/client.js';
import { createDatabase, type FreshDatabase } from '../harness/fresh-database.js';
import { Service } from '../harness/processes.js';

interface Win {
  id: number;
  body: string;
  occurred_on: string;
  created_at: string;
  updated_at: string;
}

const utcDay = () => new Date().toISOString().slice(0, 10);

/** Far enough from UTC that it is another day there at this moment. */
const ANOTHER_DAY = new Date().getUTCHours() < 11 ? 'Etc/GMT+12' : 'Pacific/Kiritimati';

describe.each(['America/Los_Angeles', 'Pacific/Auckland', 'UTC', ANOTHER_DAY])(
  'with server and database in the time zone %s',
  (zone) => {
    let database: FreshDatabase;
    let app: TestApp;
    let server: Service;
    let api: Client;
    let spaceId: number;

    beforeAll(async () => {
      database = await createDatabase({ timezone: zone, datestyle: 'SQL, DMY' });
      app = await startApp({ DATABASE_URL: database.url });
      server = await Service.start(database.url, { TZ: zone });
    });
    afterAll(async () => {
      await server.stop();
      await app.close();
      await database.drop();
    });
    beforeEach(async () => {
      api = new Client(server.url, (await app.make.person()).token);
      spaceId = (await api.post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work' } })).body.id;
    });

    async function create(fields: { body?: string; occurred_on?: string } = {}): Promise<Win> {
      return (await api.post<Win>('/api/v1/wins', { win: { body: 'x', space_id: spaceId, ...fields } })).body;
    }

    const get = async (id: number) => (await api.get<Win>(`/api/v1/wins/${id}`)).body;

    it('keeps the zone that was asked for in the database', async () => {
      expect(await database.query('show timezone')).toEqual([{ TimeZone: zone }]);
    });

    it('answers a date as it was sent, on the days of clock changes and leap days too', async () => {
      // Clocks change on the days in March and September, in Los Angeles and in Auckland.
      for (const occurred_on of ['2026-03-08', '2026-09-27', '2024-02-29', '2026-01-01', '2026-12-31', '0001-01-01']) {
        const win = await create({ occurred_on });
        expect(win.occurred_on).toBe(occurred_on);
        expect((await get(win.id)).occurred_on).toBe(occurred_on);
        const { body } = await api.patch<Win>(`/api/v1/wins/${win.id}`, { win: { occurred_on: '2025-11-02' } });
        expect(body.occurred_on).toBe('2025-11-02');
        expect((await api.get<Win[]>(`/api/v1/wins?per_page=1`)).body[0]!.occurred_on).toBe('2025-11-02');
        await api.delete(`/api/v1/wins/${win.id}`);
      }
    });

    it('dates a win without a date today in UTC', async () => {
      const before = utcDay();
      const { occurred_on } = await create();
      expect([before, utcDay()]).toContain(occurred_on);
    });

    it('counts both ends into since and until', async () => {
      for (const occurred_on of ['2026-03-07', '2026-03-08', '2026-03-09', '2026-03-10']) {
        await create({ body: occurred_on, occurred_on });
      }
      for (const [query, days] of [
        ['since=2026-03-08&until=2026-03-09', ['2026-03-09', '2026-03-08']],
        ['since=2026-03-09', ['2026-03-10', '2026-03-09']],
        ['until=2026-03-08', ['2026-03-08', '2026-03-07']],
        ['since=2026-03-08&until=2026-03-08', ['2026-03-08']],
        ['since=2026-03-09&until=2026-03-08', []],
      ] as const) {
        const { body } = await api.get<Win[]>(`/api/v1/wins?${query}`);
        expect([query, body.map((win) => win.body)]).toEqual([query, days]);
      }
    });

    it('answers times in UTC, the same on every read; only updated_at moves', async () => {
      const start = Date.now();
      const made = await create();
      const end = Date.now();
      for (const time of [made.created_at, made.updated_at]) {
        expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(Date.parse(time)).toBeGreaterThanOrEqual(start - 1);
        expect(Date.parse(time)).toBeLessThanOrEqual(end + 1);
      }
      expect(await get(made.id)).toEqual(made);

      const { body: changed } = await api.patch<Win>(`/api/v1/wins/${made.id}`, { win: { body: 'y' } });
      expect(changed.created_at).toBe(made.created_at);
      expect(changed.updated_at > made.updated_at).toBe(true);
      expect(Date.parse(changed.updated_at)).toBeLessThanOrEqual(Date.now() + 1);
      expect(await get(made.id)).toEqual(changed);
    });

    it('answers the times of tags, spaces and tokens in UTC, and ends a token when it was said', async () => {
      const start = Date.now();
      const made = [
        (await api.post<{ created_at: string }>('/api/v1/tags', { tag: { name: 'a' } })).body.created_at,
        (await api.get<{ created_at: string }>(`/api/v1/spaces/${spaceId}`)).body.created_at,
      ];
      for (const time of made) expect(Math.abs(Date.parse(time) - start)).toBeLessThan(10_000);
      for (const expires_at of ['2030-03-10T02:30:00.000Z', '2030-09-29T02:30:00.000Z']) {
        const token = { name: 'x', expires_at };
        expect((await api.post<{ expires_at: string }>('/api/v1/tokens', { token })).body.expires_at).toBe(expires_at);
      }
    });
  },
);
