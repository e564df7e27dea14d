import type { Account } from '../auth/dto/account.js';
import type { CreateToken, IssuedToken, Token } from '../auth/dto/token.js';
import type { Health } from '../operations/health.controller.js';
import type { CreateSpace, Space, UpdateSpace } from '../spaces/dto/space.js';
import type { Tag, TagBody } from '../tags/dto/tag.js';
import type { BatchBody } from '../wins/dto/win-batch.js';
import type { CreateWin, UpdateWin, Win } from '../wins/dto/win.js';

/** The requests and responses in the examples of the document: one account, in which everything fits together. */

const MADE = '2026-03-14T09:26:53.589Z';
const CHANGED = '2026-03-16T08:02:11.204Z';

const ok: Health = { status: 'ok' };

const account: Account = {
  email: 'demo@example.com',
  plan: 'free',
  limits: { spaces: { max: 3, used: 3 }, tags: { max: 10_000, used: 12 }, tokens: { max: 100, used: 1 } },
  created_at: '2026-01-05T07:30:00.000Z',
};

const laptop: Token = {
  id: 2,
  name: 'Laptop',
  scope: 'write',
  expires_at: null,
  created_at: '2026-01-05T07:31:12.871Z',
};
const mobile: Token = {
  id: 7,
  name: 'Mobile app',
  scope: 'read',
  expires_at: '2030-01-31T12:00:00.000Z',
  created_at: MADE,
};
const issued: IssuedToken = { ...mobile, token: `wins_${'0123456789abcdef'.repeat(4)}` };

const work: Space = {
  id: 3,
  name: 'Work',
  emoji: '💼',
  position: 0,
  wins_count: 32,
  created_at: '2026-01-05T07:32:40.002Z',
  updated_at: '2026-01-05T07:32:40.002Z',
};
const sideProject: Space = {
  id: 7,
  name: 'Side project',
  emoji: '🚀',
  position: 1,
  wins_count: 0,
  created_at: MADE,
  updated_at: MADE,
};

const customers: Tag = { id: 5, name: 'Customers', wins_count: 14, created_at: '2026-01-07T16:20:05.310Z' };
const launch: Tag = { id: 7, name: 'Launch', wins_count: 0, created_at: MADE };

const onboarding: Win = {
  id: 7,
  body: 'Shipped the **new** onboarding',
  occurred_on: '2026-03-14',
  space: { id: work.id, name: work.name, emoji: work.emoji },
  tags: [
    { id: customers.id, name: customers.name },
    { id: launch.id, name: launch.name },
  ],
  created_at: MADE,
  updated_at: MADE,
};
const review: Win = {
  ...onboarding,
  id: 6,
  body: 'Calm review of a difficult change',
  occurred_on: '2026-03-12',
  tags: [],
  created_at: '2026-03-12T15:47:19.040Z',
  updated_at: '2026-03-12T15:47:19.040Z',
};

/** An example of a request and what it is for. */
interface RequestExample<Body> {
  summary: string;
  value: Body;
}

interface OperationExamples {
  /** Bodies to send, by a name. The response is that to the first. */
  requests?: Record<string, RequestExample<object>>;
  response?: object;
  /** Files that it responds with, by their media type. */
  files?: Record<string, string>;
}

const createTag: Record<string, RequestExample<TagBody>> = {
  name: { summary: 'A tag', value: { tag: { name: 'Launch' } } },
};

const renameTag: Record<string, RequestExample<TagBody>> = {
  name: { summary: 'Another name', value: { tag: { name: 'Product launch' } } },
  case: { summary: 'Its own name in other capitals', value: { tag: { name: 'LAUNCH' } } },
};

const createSpace: Record<string, RequestExample<CreateSpace>> = {
  emoji: { summary: 'With an emoji', value: { space: { name: 'Side project', emoji: '🚀' } } },
  name: { summary: 'A name is enough', value: { space: { name: 'Learning' } } },
  position: { summary: 'In front of all', value: { space: { name: 'Now', emoji: '⭐', position: -1 } } },
};

const updateSpace: Record<string, RequestExample<UpdateSpace>> = {
  name: { summary: 'Another name', value: { space: { name: 'Moonshot' } } },
  emoji: { summary: 'No emoji any more', value: { space: { emoji: null } } },
  position: { summary: 'To the front', value: { space: { position: 0 } } },
};

const createWin: Record<string, RequestExample<CreateWin>> = {
  full: {
    summary: 'With a day and tags',
    value: {
      win: {
        body: onboarding.body,
        space_id: work.id,
        occurred_on: onboarding.occurred_on,
        tag_names: ['Launch', 'Customers'],
      },
    },
  },
  today: { summary: 'Today, without tags', value: { win: { body: 'Inbox zero', space_id: work.id } } },
};

const updateWin: Record<string, RequestExample<UpdateWin>> = {
  tags: { summary: 'Other tags', value: { win: { tag_names: ['Customers'] } } },
  body: { summary: 'Other words', value: { win: { body: 'Shipped the new onboarding, *two days early*' } } },
  move: { summary: 'To another space', value: { win: { space_id: sideProject.id } } },
  label: {
    summary: 'One more tag, one less',
    value: { win: { add_tag_names: ['Launch'], remove_tag_names: ['Customers'] } },
  },
};

const batchWins: Record<string, RequestExample<BatchBody>> = {
  several: {
    summary: 'A new win, a change and a deletion',
    value: {
      batch: {
        create: [{ body: 'Inbox zero', space_id: work.id }],
        update: [{ id: onboarding.id, add_tag_names: ['Team'] }],
        delete: [review.id],
      },
    },
  },
};

const createToken: Record<string, RequestExample<CreateToken>> = {
  read: {
    summary: 'Only to read, with an end',
    value: { token: { name: mobile.name, scope: 'read', expires_at: '2030-01-31T12:00:00Z' } },
  },
  write: { summary: 'To read and write', value: { token: { name: 'Laptop' } } },
};

/** The examples of every operation with a response body, by its `operationId`. */
export const EXAMPLES: Record<string, OperationExamples> = {
  isAlive: { response: ok },
  listChanges: {
    response: {
      spaces: [sideProject],
      tags: [launch],
      wins: [onboarding],
      deleted: { space_ids: [], tag_ids: [9], win_ids: [2, 3] },
      next: 'WyJ3M0hfYTlRMiIsIjQyIiwiNDIiLCI5IiwiMCJd',
      has_more: false,
    },
  },
  isReady: { response: ok },
  getMe: { response: account },
  listTokens: { response: [laptop, mobile] },
  getToken: { response: mobile },
  createToken: { requests: createToken, response: issued },
  listSpaces: { response: [work, sideProject] },
  getSpace: { response: sideProject },
  createSpace: { requests: createSpace, response: sideProject },
  updateSpace: { requests: updateSpace, response: { ...sideProject, name: 'Moonshot', updated_at: CHANGED } },
  listTags: { response: [customers, launch] },
  getTag: { response: launch },
  createTag: { requests: createTag, response: launch },
  renameTag: { requests: renameTag, response: { ...launch, name: 'Product launch' } },
  mergeTag: {
    requests: { merge: { summary: 'Its wins become those of tag 5', value: { tag: { into_id: customers.id } } } },
    response: customers,
  },
  deleteUnusedTags: { response: { deleted: 12 } },
  orderSpaces: {
    requests: { order: { summary: 'Another order', value: { order: { space_ids: [sideProject.id, work.id] } } } },
    response: [
      { ...sideProject, position: 0, updated_at: CHANGED },
      { ...work, position: 1, updated_at: CHANGED },
    ],
  },
  listWins: { response: [onboarding, review] },
  summarizeWins: {
    response: [
      { key: '2026-03', wins_count: 12 },
      { key: '2026-02', wins_count: 7 },
    ],
  },
  exportWins: {
    files: {
      'text/markdown': `# Wins\n\n## 💼 Work\n\n### March 2026\n\n- **2026-03-14** ${onboarding.body} _(Customers, Launch)_\n`,
      'text/csv': `id,occurred_on,space,body,tags,created_at,updated_at\r\n7,2026-03-14,Work,${onboarding.body},"Customers, Launch",${MADE},${MADE}\r\n`,
      'application/x-ndjson': `${JSON.stringify(onboarding)}\n${JSON.stringify(review)}\n`,
    },
  },
  getWin: { response: onboarding },
  createWin: { requests: createWin, response: onboarding },
  batchWins: {
    requests: batchWins,
    response: {
      created: [{ ...onboarding, id: 8, body: 'Inbox zero', tags: [] }],
      updated: [{ ...onboarding, tags: [...onboarding.tags, { id: 9, name: 'Team' }], updated_at: CHANGED }],
      deleted: [review.id],
    },
  },
  updateWin: {
    requests: updateWin,
    response: { ...onboarding, tags: [{ id: customers.id, name: customers.name }], updated_at: CHANGED },
  },
};
