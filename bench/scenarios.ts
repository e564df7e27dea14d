import type { Client } from 'pg';
import type { Person } from './seed.js';

/** One request of a scenario. `{id}` in the path is the id in the answer to the request before. */
export interface Step {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: string;
}

/** What is measured: requests that every connection sends over and over. */
export interface Scenario {
  title: string;
  isRead: boolean;
  /** @param connection its number, so that connections need not write the same rows */
  steps(person: Person, connection: number): Step[];
}

const read = (title: string, path: (person: Person) => string): Scenario => ({
  title,
  isRead: true,
  steps: (person) => [{ method: 'GET', path: path(person) }],
});

export const SCENARIOS = {
  'tags-25': read('List tags, 25 of 100', () => '/api/v1/tags'),
  'tags-100': read('List tags, 100 of 100', () => '/api/v1/tags?per_page=100'),
  spaces: read('List 3 spaces', () => '/api/v1/spaces'),
  space: read('Read a space', ({ spaceIds }) => `/api/v1/spaces/${spaceIds[0]}`),
  wins: read('List wins, 25 of 10,000', () => '/api/v1/wins'),
  'tag-rename': {
    title: 'Rename a tag',
    isRead: false,
    steps({ tags }, connection) {
      const { id, name } = tags[connection % tags.length]!;
      return [`${name} ✓`, name].map((next) => ({
        method: 'PATCH',
        path: `/api/v1/tags/${id}`,
        body: JSON.stringify({ tag: { name: next } }),
      }));
    },
  },
  'space-create-delete': {
    title: 'Create a space, delete it',
    isRead: false,
    steps: () => [
      { method: 'POST', path: '/api/v1/spaces', body: JSON.stringify({ space: { name: 'Conference', emoji: '🎤' } }) },
      { method: 'DELETE', path: '/api/v1/spaces/{id}' },
    ],
  },
  'win-create': {
    title: 'Create a win with 3 tags',
    isRead: false,
    steps({ tags, spaceIds }, connection) {
      const win = {
        body: 'Gave the **opening talk** at the conference, and the demo worked.\n\nPrepared for it three evenings in a row.',
        space_id: spaceIds[connection % spaceIds.length],
        occurred_on: '2026-07-01',
        tag_names: [0, 1, 2].map((n) => tags[(connection + 7 * n) % tags.length]!.name),
      };
      return [{ method: 'POST', path: '/api/v1/wins', body: JSON.stringify({ win }) }];
    },
  },
} satisfies Record<string, Scenario>;
export type ScenarioName = keyof typeof SCENARIOS;

/** Puts back what writing scenarios left, so that each contender finds the same rows and tables don't grow. */
export async function restore(client: Client, { userId, tags, spaceIds }: Person): Promise<void> {
  await client.query(`delete from wins where user_id = $1 and occurred_on = '2026-07-01'`, [userId]);
  await client.query('delete from spaces where user_id = $1 and id <> all($2)', [userId, spaceIds]);
  await client.query('delete from tags where user_id = $1 and id <> all($2)', [userId, tags.map(({ id }) => id)]);
  await client.query(
    `update tags set name = seeded.name from unnest($2::bigint[], $3::text[]) seeded (id, name)
     where tags.user_id = $1 and tags.id = seeded.id and tags.name <> seeded.name`,
    [userId, tags.map(({ id }) => id), tags.map(({ name }) => name)],
  );
  await client.query('vacuum analyze users, tags, spaces, wins, win_tags');
  await client.query('checkpoint');
}
