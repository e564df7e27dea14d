// Generated from openapi.json by `npm run client:types`; changes here are lost.

import type { operations } from './document.js';

interface Route {
  method: string;
  path: string;
  isList: boolean;
  isFile: boolean;
  hasCursor: boolean;
  hasInput: boolean;
}

/** Where every operation is, by its name. */
export const routes = {
  /**
   * Liveness check
   *
   * Responds as long as the process runs, even while the database is down.
   */
  isAlive: { method: 'get', path: '/healthz', isList: false, isFile: false, hasCursor: false, hasInput: false },
  /**
   * Readiness check
   *
   * Responds with 200 while the database responds and accepts writes, and the instance is not shutting down.
   */
  isReady: { method: 'get', path: '/readyz', isList: false, isFile: false, hasCursor: false, hasInput: false },
  /**
   * Show your account
   *
   * Your email and plan, how many spaces, tags and tokens you may have, and how many you have.
   */
  getMe: { method: 'get', path: '/api/v1/me', isList: false, isFile: false, hasCursor: false, hasInput: false },
  /**
   * List your API tokens
   *
   * Oldest first. Secrets are never shown again; only a hash is stored.
   */
  listTokens: { method: 'get', path: '/api/v1/tokens', isList: true, isFile: false, hasCursor: false, hasInput: true },
  /**
   * Create an API token
   *
   * The secret is only in this response. A token that expires can't create one that outlives it; a token of scope `read` can't create any.
   */
  createToken: {
    method: 'post',
    path: '/api/v1/tokens',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Get an API token
   *
   * One of your API tokens, without its secret.
   */
  getToken: {
    method: 'get',
    path: '/api/v1/tokens/{id}',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Revoke an API token
   *
   * Every instance rejects it within a second. A token may revoke itself.
   */
  revokeToken: {
    method: 'delete',
    path: '/api/v1/tokens/{id}',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * List spaces
   *
   * In display order: by `position`, lower first, ties by id.
   */
  listSpaces: { method: 'get', path: '/api/v1/spaces', isList: true, isFile: false, hasCursor: false, hasInput: true },
  /**
   * Create a space
   *
   * The free plan has at most 3 spaces; the fourth is rejected with 402; deleting one makes room. Two spaces may share a name. Without `position` the space goes last.
   */
  createSpace: {
    method: 'post',
    path: '/api/v1/spaces',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Get a space
   *
   * One of your spaces, with the number of wins in it.
   */
  getSpace: {
    method: 'get',
    path: '/api/v1/spaces/{id}',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Update a space
   *
   * Send only the fields to change; an `emoji` of `null` removes it. If nothing changes, `updated_at` stays.
   */
  updateSpace: {
    method: 'patch',
    path: '/api/v1/spaces/{id}',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Delete a space
   *
   * **All wins in it are deleted with it**, all or nothing, unless `move_wins_to` names another space for them. Their tags are kept; each tag's `wins_count` drops accordingly.
   */
  deleteSpace: {
    method: 'delete',
    path: '/api/v1/spaces/{id}',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Put the spaces in order
   *
   * Send the ids of all your spaces in the order to show them. Their positions become 0, 1, 2 …
   */
  orderSpaces: {
    method: 'put',
    path: '/api/v1/spaces/order',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * List tags
   *
   * Alphabetically, as people read it: case and accents don't split the alphabet. Or as `sort` says.
   */
  listTags: { method: 'get', path: '/api/v1/tags', isList: true, isFile: false, hasCursor: true, hasInput: true },
  /**
   * Create a tag
   *
   * The name is trimmed and must not be taken; names that differ only in case are the same. Recording a win creates the tags it names, so this is for tags that wait for their first win.
   */
  createTag: { method: 'post', path: '/api/v1/tags', isList: false, isFile: false, hasCursor: false, hasInput: true },
  /**
   * Delete unused tags
   *
   * Deletes all tags that no win uses.
   */
  deleteUnusedTags: {
    method: 'delete',
    path: '/api/v1/tags',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Get a tag
   *
   * One of your tags, with the number of wins that use it.
   */
  getTag: { method: 'get', path: '/api/v1/tags/{id}', isList: false, isFile: false, hasCursor: false, hasInput: true },
  /**
   * Rename a tag
   *
   * The new name applies to all wins that use the tag. It must not be taken by another tag; the tag's own name in other capitals is fine.
   */
  renameTag: {
    method: 'patch',
    path: '/api/v1/tags/{id}',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Delete a tag
   *
   * Its wins are kept; they only lose the tag.
   */
  deleteTag: {
    method: 'delete',
    path: '/api/v1/tags/{id}',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Merge a tag into another
   *
   * Every win with this tag gets the other one instead, and this tag is deleted, all or nothing.
   */
  mergeTag: {
    method: 'post',
    path: '/api/v1/tags/{id}/merge',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * List wins
   *
   * Newest day first, then newest id, or as `sort` says. All filters must match; an empty filter is ignored. By cursor, a request looks through 10,000 wins at most: where few match, a page can have fewer wins than `per_page`, or none, and still a next cursor.
   */
  listWins: { method: 'get', path: '/api/v1/wins', isList: true, isFile: false, hasCursor: true, hasInput: true },
  /**
   * Record a win
   *
   * It goes in one of your spaces. Names in `tag_names` that don't exist yet are created as tags; names that differ only in case are the same tag. Without `occurred_on` the day is today in UTC.
   */
  createWin: { method: 'post', path: '/api/v1/wins', isList: false, isFile: false, hasCursor: false, hasInput: true },
  /**
   * Count wins by time, space or tag
   *
   * Periods newest first, spaces and tags largest first, at most 10,000; without those that have none. The filters are those of the list.
   */
  summarizeWins: {
    method: 'get',
    path: '/api/v1/wins/summary',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Export wins
   *
   * All wins of the filters, newest first, as a file of any length. Markdown has a heading for each space and month. If it fails on the way, the connection is broken off. You can have two exports at a time.
   */
  exportWins: {
    method: 'get',
    path: '/api/v1/wins/export',
    isList: false,
    isFile: true,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Get a win
   *
   * One of your wins, with its space and tags.
   */
  getWin: { method: 'get', path: '/api/v1/wins/{id}', isList: false, isFile: false, hasCursor: false, hasInput: true },
  /**
   * Update a win
   *
   * Send only the fields to change. `tag_names` replaces all its tags; `add_tag_names` and `remove_tag_names` change some. Without any change `updated_at` stays.
   */
  updateWin: {
    method: 'patch',
    path: '/api/v1/wins/{id}',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Delete a win
   *
   * Its tags are kept; each tag's `wins_count` drops by one.
   */
  deleteWin: {
    method: 'delete',
    path: '/api/v1/wins/{id}',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * Create, update and delete wins
   *
   * At most 100 in all, and all or none: if one of them is not valid, nothing is done. The response has the wins in the order of the request.
   */
  batchWins: {
    method: 'post',
    path: '/api/v1/wins/batch',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
  /**
   * List what has changed
   *
   * For a copy of your spaces, tags and wins. Without `since` everything comes, page by page; then only what has changed, whoever changed it. Once `has_more` is false the copy is what the service has. A deleted space is one entry, also for its wins; a deleted or merged tag is one entry, and no win of the copy has it any more. Deletions are remembered for 90 days.
   */
  listChanges: {
    method: 'get',
    path: '/api/v1/changes',
    isList: false,
    isFile: false,
    hasCursor: false,
    hasInput: true,
  },
} as const satisfies Record<keyof operations, Route>;
