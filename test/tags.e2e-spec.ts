import { startApp, type TestApp } from './app.js';
import type { Person } from './factories.js';

interface Tag {
  id: number;
  name: string;
  wins_count: number;
  created_at: string;
}

let app: TestApp;
let ann: Person;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
});

describe('POST /api/v1/tags', () => {
  it('creates a tag and says where it is', async () => {
    const answer = await app.as(ann).post<Tag>('/api/v1/tags', { tag: { name: 'Launch' } });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      name: 'Launch',
      wins_count: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(answer.headers.get('location')).toBe(`/api/v1/tags/${answer.body.id}`);
  });
});
