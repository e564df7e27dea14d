import type { Client } from 'pg';
import type { Person } from './seed.js';

/** One request of a scenario. `{id}` in the path is the id in the answer to the request before. */
export interface Step {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: string;
}

/** A request with the token of the user who sends it. */
export type Call = Step & { token: string };

/** What is measured: requests that every connection sends over and over. */
export interface Scenario {
  title: string;
  isRead: boolean;
  /** How many users and connections it is measured with, if not with those of `LOADS`. */
  loads?: Load[];
  /** @param connection its number, so that connections need not write the same rows */
  steps(person: Person, connection: number): Step[];
  /** What another user sends meanwhile, which is not measured. */
  beside?: { connections: number; steps(): Step[] };
}

/** So many users, over so many connections in all. */
export interface Load {
  users: number;
  connections: number;
}

export const LOADS: Load[] = [
  { users: 1, connections: 1 },
  { users: 1, connections: 16 },
  { users: 1, connections: 64 },
  { users: 16, connections: 16 },
  { users: 16, connections: 64 },
];

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
  'win-update': {
    title: 'Change the text of a win',
    isRead: false,
    steps: ({ winIds }, connection) =>
      ['Wrote it down', 'Wrote it down, **twice**'].map((body) => ({
        method: 'PATCH',
        path: `/api/v1/wins/${winIds[connection % winIds.length]}`,
        body: JSON.stringify({ win: { body } }),
      })),
  },
  mixed: {
    title: 'Reads and, one in ten, writes',
    isRead: false,
    loads: [{ users: 200, connections: 64 }],
    steps(person, connection): Step[] {
      const visit: Step[] = [
        'spaces',
        'tags-100',
        'wins',
        'space',
        'wins',
        'tags-25',
        'wins',
        'spaces',
        'wins',
      ].flatMap((name) => SCENARIOS[name as 'spaces'].steps(person, connection));
      const [rename, renameBack] = SCENARIOS['tag-rename'].steps(person, connection);
      const [create] = SCENARIOS['win-create'].steps(person, connection);
      return [rename!, renameBack!, create!].flatMap((write) => [...visit, write]);
    },
  },
  neighbour: {
    title: 'List tags, 25 of 100, beside a user who searches',
    isRead: true,
    loads: [{ users: 1, connections: 4 }],
    steps: () => [{ method: 'GET', path: '/api/v1/tags' }],
    beside: { connections: 12, steps: () => [{ method: 'GET', path: '/api/v1/wins?per_page=100' }] },
  },
} satisfies Record<string, Scenario>;
export type ScenarioName = keyof typeof SCENARIOS;

/** What each connection sends: the steps of one user, or of several, one after the other, where users are more. */
export const callsOf = ({ steps }: Pick<Scenario, 'steps'>, users: Person[], connections: number): Call[][] =>
  Array.from({ length: connections }, (_, connection) => {
    const own = users.filter((_user, index) => index % connections === connection);
    return (own.length > 0 ? own : [users[connection % users.length]!]).flatMap((user) =>
      steps(user, connection).map((step) => ({ ...step, token: user.token })),
    );
  });

/** Puts back what writing scenarios left, so that each contender finds the same rows and tables don't grow. */
export async function restore(client: Client, users: Person[]): Promise<void> {
  const userIds = users.map(({ userId }) => userId);
  const tags = users.flatMap((user) => user.tags);
  const spaceIds = users.flatMap((user) => user.spaceIds);
  await client.query(`delete from wins where user_id = any($1) and occurred_on = '2026-07-01'`, [userIds]);
  await client.query('delete from spaces where user_id = any($1) and id <> all($2)', [userIds, spaceIds]);
  await client.query('delete from tags where user_id = any($1) and id <> all($2)', [userIds, tags.map(({ id }) => id)]);
  await client.query(
    `update tags set name = seeded.name from unnest($2::bigint[], $3::text[]) seeded (id, name)
     where tags.user_id = any($1) and tags.id = seeded.id and tags.name <> seeded.name`,
    [userIds, tags.map(({ id }) => id), tags.map(({ name }) => name)],
  );
  await client.query('vacuum analyze users, tags, spaces, wins, win_tags');
  await client.query('checkpoint');
}
