import type { TestApp } from './app.js';
import type { Answer } from './client.js';
import type { Person } from './factories.js';

interface Counted {
  id: number;
  name: string;
  wins_count: number;
}

/** Someone who records wins, one after the other, and knows which were recorded. */
export class WinWriter {
  readonly recorded: number[] = [];
  readonly refused: number[] = [];

  private constructor(
    /** The instance that is called. */
    public app: Pick<TestApp, 'as' | 'dataSource'>,
    readonly person: Person,
    readonly space: Counted,
  ) {}

  static async create(app: TestApp): Promise<WinWriter> {
    const person = await app.make.person();
    const { body: space } = await app.as(person).post<Counted>('/api/v1/spaces', { space: { name: 'Work' } });
    return new WinWriter(app, person, space);
  }

  async record(): Promise<Answer<{ id: number }>> {
    const win = { body: 'x', space_id: this.space.id, tag_names: ['a', 'b'] };
    const answer = await this.app.as(this.person).post<{ id: number }>('/api/v1/wins', { win });
    if (answer.status === 201) this.recorded.push(answer.body.id);
    else this.refused.push(answer.status);
    return answer;
  }

  async recordUntil(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) await this.record();
  }

  /**
   * What is wrong: everything recorded has to be there, in order, and counted. What got a 503 may have been recorded all the
   * same.
   */
  async faults(): Promise<string[]> {
    const api = this.app.as(this.person);
    const { body: listed } = await api.get<{ id: number }[]>('/api/v1/wins?per_page=100&sort=occurred_on&after=');
    const { body: space } = await api.get<Counted>(`/api/v1/spaces/${this.space.id}`);
    const { body: tags } = await api.get<Counted[]>('/api/v1/tags');
    const text = 'select id from wins where user_id = $1';
    const rows = await this.app.dataSource.query<{ id: number }[]>(text, [this.person.id]);
    const ids = new Set(rows.map(({ id }) => id));
    const counts = [space, ...tags].map(({ wins_count }) => wins_count);
    return [
      isRising(listed.map(({ id }) => id)) ? [] : 'the list is out of order',
      isRising(this.recorded) ? [] : 'ids went back',
      this.recorded.every((id) => ids.has(id)) ? [] : 'a win is lost',
      ids.size <= this.recorded.length + this.refused.length ? [] : 'a win is there that nobody recorded',
      counts.length === 3 && counts.every((count) => count === ids.size) ? [] : `counts are ${counts}, not ${ids.size}`,
    ].flat();
  }
}

const isRising = (ids: number[]) => ids.every((id, n) => n === 0 || id > ids[n - 1]!);
