import { Client } from 'pg';
import { startApp, type TestApp } from '../harness/app.js';
import { fault, invalid } from '../harness/errors.js';
import { createDatabase, type FreshDatabase } from '../harness/fresh-database.js';
import { countWaits } from '../harness/cluster.js';
import { until } from '../harness/until.js';

let database: FreshDatabase;
let app: TestApp;
/** Sessions outside the service. One adds a tag, the other waits for the whole table. */
let [first, second]: Client[] = [];

beforeAll(async () => {
  database = await createDatabase();
  app = await startApp({ DATABASE_URL: database.url });
  [first, second] = [new Client(database.url), new Client(database.url)];
  await Promise.all([first.connect(), second.connect()]);
});
afterAll(async () => {
  await Promise.all([first?.end(), second?.end()]);
  await app.close();
  await database.drop();
});

const waiting = () => countWaits((text) => database.query(text));

/**
 * Adds the tag `Launch`, sends the request, which waits for it, and puts a change between its refusal and the look for
 * the tag that has the name: the table is locked for the change before the request is refused.
 */
async function between<Answer>(userId: number, send: () => Promise<Answer>, changes: string[]): Promise<Answer> {
  await first!.query('begin');
  await first!.query(`insert into tags (user_id, name) values ($1, 'Launch')`, [userId]);
  const answer = send();
  await until(async () => (await waiting()) === 1);
  await second!.query('set citus.enable_ddl_propagation = off'); // a cluster would lock all other machines before
  await second!.query('begin');
  const locked = second!.query('lock table tags in access exclusive mode');
  const { processID } = second as Client & { processID: number };
  const text = `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`;
  await until(async () => (await database.query(text, [processID])).length === 1);
  await first!.query('commit');
  await locked;
  for (const change of changes) await second!.query(change, [userId]);
  await second!.query('commit');
  return answer;
}

const DELETE = `delete from tags where user_id = $1 and name = 'Launch'`;
const TAKEN = invalid([fault('tag.name', 'taken', ['Is already taken'])]);

describe('The refusal of a name that is taken', () => {
  it('names no tag if the one that had the name is gone meanwhile', async () => {
    const ann = await app.make.person();
    const create = () => app.as(ann).post('/api/v1/tags', { tag: { name: 'launch' } });
    expect(await between(ann.id, create, [DELETE])).toEqual(TAKEN);
  });

  it('does not name the renamed tag itself if it has got the name meanwhile', async () => {
    const ann = await app.make.person();
    const { body: tag } = await app.as(ann).post<{ id: number }>('/api/v1/tags', { tag: { name: 'Start' } });
    const rename = () => app.as(ann).patch(`/api/v1/tags/${tag.id}`, { tag: { name: 'launch' } });
    const take = `update tags set name = 'LAUNCH' where user_id = $1`;
    expect(await between(ann.id, rename, [DELETE, take])).toEqual(TAKEN);
    expect((await app.as(ann).get('/api/v1/tags')).body).toMatchObject([{ id: tag.id, name: 'LAUNCH' }]);
  });
});
