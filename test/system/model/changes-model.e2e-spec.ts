import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { Client, type Answer } from '../../harness/client.js';
import { Copy, textOfLists } from '../../harness/copy.js';
import type { Person } from '../../harness/factories.js';
import { PRODUCTION, Workshop, type Service } from '../../harness/processes.js';

/**
 * Many writers, whoever they are, and readers that follow them through two instances, one of which is killed and started:
 * at the end every copy is what the API has.
 */

const WRITERS = 8;
const WRITES = 60;
const READERS = 3;

const workshop = new Workshop();
afterAll(() => workshop.clean());

const any = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)];

/** What a writer may do. What is refused, or not there any more, is as good as anything. */
class Writer {
  constructor(
    private readonly person: Person,
    private readonly sql: DataSource,
    private readonly instance: () => Service,
    private readonly name: string,
  ) {}

  async write(): Promise<void> {
    const work = any([
      this.create, this.create, this.create, this.change, this.change, this.label, this.rename, this.merge, this.batch,
      this.delete, this.deleteTag, this.space, this.renameSpace, this.deleteSpace, this.order, this.bySql, this.bySql,
    ])!; // prettier-ignore
    await work.call(this).catch(() => undefined); // the instance was killed
  }

  private get api(): Client {
    return new Client(this.instance().url, this.person.token);
  }

  private async idOf(list: 'wins' | 'tags' | 'spaces'): Promise<number> {
    const rows = await this.sql.query<{ id: string }[]>(
      `select id from ${list} where user_id = $1 order by random() limit 1`,
      [this.person.id],
    );
    return Number(rows[0]?.id ?? 1);
  }

  private names = (count: number) => Array.from({ length: count }, () => `Tag ${Math.floor(Math.random() * 12)}`);

  private input = async () => ({
    body: `By ${this.name}`,
    space_id: await this.idOf('spaces'),
    tag_names: this.names(2),
  });

  private create = async (): Promise<Answer> => this.api.post('/api/v1/wins', { win: await this.input() });
  private change = async (): Promise<Answer> =>
    this.api.patch(`/api/v1/wins/${await this.idOf('wins')}`, { win: await this.input() });
  private label = async (): Promise<Answer> =>
    this.api.patch(`/api/v1/wins/${await this.idOf('wins')}`, {
      win: { add_tag_names: this.names(1), remove_tag_names: this.names(3) },
    });
  private rename = async (): Promise<Answer> =>
    this.api.patch(`/api/v1/tags/${await this.idOf('tags')}`, { tag: { name: this.names(1)[0] } });
  private merge = async (): Promise<Answer> =>
    this.api.post(`/api/v1/tags/${await this.idOf('tags')}/merge`, { tag: { into_id: await this.idOf('tags') } });
  private batch = async (): Promise<Answer> =>
    this.api.post('/api/v1/wins/batch', {
      batch: {
        create: [await this.input(), await this.input()],
        update: [{ id: await this.idOf('wins'), body: 'Batched', remove_tag_names: this.names(2) }],
        delete: [await this.idOf('wins')],
      },
    });
  private delete = async (): Promise<Answer> => this.api.delete(`/api/v1/wins/${await this.idOf('wins')}`);
  private deleteTag = async (): Promise<Answer> => this.api.delete(`/api/v1/tags/${await this.idOf('tags')}`);
  private space = async (): Promise<Answer> => this.api.post('/api/v1/spaces', { space: { name: this.name } });
  private renameSpace = async (): Promise<Answer> =>
    this.api.patch(`/api/v1/spaces/${await this.idOf('spaces')}`, { space: { name: `${this.name} ${Math.random()}` } });
  private deleteSpace = async (): Promise<Answer> => {
    const move = Math.random() < 0.7 ? `?move_wins_to=${await this.idOf('spaces')}` : '';
    return this.api.delete(`/api/v1/spaces/${await this.idOf('spaces')}${move}`);
  };
  private order = async (): Promise<Answer> => {
    const { body } = await this.api.get<{ id: number }[]>('/api/v1/spaces?per_page=100');
    return this.api.put('/api/v1/spaces/order', { order: { space_ids: body.map(({ id }) => id).toReversed() } });
  };
  private bySql = (): Promise<unknown> =>
    this.sql.query(
      any([
        `update wins set body = body || '.' where user_id = $1 and id % 5 = 0`,
        `update tags set name = upper(name) where user_id = $1 and id % 3 = 0`,
        `delete from win_tags where user_id = $1 and win_id % 7 = 0`,
        `delete from wins where user_id = $1 and id % 11 = 0`,
        `insert into wins (user_id, space_id, body, occurred_on) select $1, id, 'By SQL', '2026-01-01' from spaces where user_id = $1 limit 2`,
      ])!,
      [this.person.id],
    );
}

it(`${READERS} copies end as what the API has, beside ${WRITERS} writers and a killed instance`, async () => {
  const { url, database, make } = await workshop.migrated();
  const person = await make.person();
  const env = { ...PRODUCTION, LOG_LEVEL: 'error', DATABASE_URL: url };
  const instances = [await workshop.serve(env), await workshop.serve(env)];
  const instance = () => any(instances)!;
  const api = () => new Client(instance().url, person.token);
  for (const name of ['Work', 'Home', 'Away']) await api().post('/api/v1/spaces', { space: { name } });

  const written = new AbortController();
  const follow = async (copy: Copy, limit: number) => {
    while (!written.signal.aborted) {
      await copy.sync(api(), limit, () => sleep(Math.random() * 20)).catch(() => undefined); // the instance was killed
      await sleep(Math.random() * 50);
    }
    await copy.sync(api(), limit);
  };
  const copies = Array.from({ length: READERS }, () => new Copy());
  const following = Promise.all(copies.map((copy, n) => follow(copy, [3, 20, 500][n]!)));
  const writing = Promise.all(
    Array.from({ length: WRITERS }, async (_, n) => {
      const writer = new Writer(person, database.dataSource, instance, `Writer ${n}`);
      for (let count = 0; count < WRITES; count++) await writer.write();
    }),
  );
  await sleep(1_000);
  await instances[1]!.stop('SIGKILL');
  instances[1] = await workshop.serve(env);
  await writing;
  written.abort();
  await following;

  const expected = await textOfLists(api());
  for (const copy of copies) expect(copy.text).toBe(expected);
  for (const { pages } of copies) expect(pages).toBeGreaterThan(5);
  const latecomer = new Copy();
  await latecomer.sync(api(), 7);
  expect(latecomer.text).toBe(expected);
  await database.close();
});
