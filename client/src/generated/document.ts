// Generated from openapi.json by `npm run client:types`; changes here are lost.

export interface paths {
  '/healthz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Liveness check
     * @description Responds as long as the process runs, even while the database is down.
     */
    get: operations['isAlive'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Readiness check
     * @description Responds with 200 while the database responds and accepts writes, and the instance is not shutting down.
     */
    get: operations['isReady'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/me': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show your account
     * @description Your email and plan, how many spaces, tags and tokens you may have, and how many you have.
     */
    get: operations['getMe'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/tokens': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List your API tokens
     * @description Oldest first. Secrets are never shown again; only a hash is stored.
     */
    get: operations['listTokens'];
    put?: never;
    /**
     * Create an API token
     * @description The secret is only in this response. A token that expires can't create one that outlives it; a token of scope `read` can't create any.
     */
    post: operations['createToken'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/tokens/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get an API token
     * @description One of your API tokens, without its secret.
     */
    get: operations['getToken'];
    put?: never;
    post?: never;
    /**
     * Revoke an API token
     * @description Every instance rejects it within a second. A token may revoke itself.
     */
    delete: operations['revokeToken'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/spaces': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List spaces
     * @description In display order: by `position`, lower first, ties by id.
     */
    get: operations['listSpaces'];
    put?: never;
    /**
     * Create a space
     * @description The free plan has at most 3 spaces; the fourth is rejected with 402; deleting one makes room. Two spaces may share a name. Without `position` the space goes last.
     */
    post: operations['createSpace'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/spaces/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a space
     * @description One of your spaces, with the number of wins in it.
     */
    get: operations['getSpace'];
    put?: never;
    post?: never;
    /**
     * Delete a space
     * @description **All wins in it are deleted with it**, all or nothing, unless `move_wins_to` names another space for them. Their tags are kept; each tag's `wins_count` drops accordingly.
     */
    delete: operations['deleteSpace'];
    options?: never;
    head?: never;
    /**
     * Update a space
     * @description Send only the fields to change; an `emoji` of `null` removes it. If nothing changes, `updated_at` stays.
     */
    patch: operations['updateSpace'];
    trace?: never;
  };
  '/api/v1/spaces/order': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Put the spaces in order
     * @description Send the ids of all your spaces in the order to show them. Their positions become 0, 1, 2 …
     */
    put: operations['orderSpaces'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/tags': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List tags
     * @description Alphabetically, as people read it: case and accents don't split the alphabet. Or as `sort` says.
     */
    get: operations['listTags'];
    put?: never;
    /**
     * Create a tag
     * @description The name is trimmed and must not be taken; names that differ only in case are the same. Recording a win creates the tags it names, so this is for tags that wait for their first win.
     */
    post: operations['createTag'];
    /**
     * Delete unused tags
     * @description Deletes all tags that no win uses.
     */
    delete: operations['deleteUnusedTags'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/tags/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a tag
     * @description One of your tags, with the number of wins that use it.
     */
    get: operations['getTag'];
    put?: never;
    post?: never;
    /**
     * Delete a tag
     * @description Its wins are kept; they only lose the tag.
     */
    delete: operations['deleteTag'];
    options?: never;
    head?: never;
    /**
     * Rename a tag
     * @description The new name applies to all wins that use the tag. It must not be taken by another tag; the tag's own name in other capitals is fine.
     */
    patch: operations['renameTag'];
    trace?: never;
  };
  '/api/v1/tags/{id}/merge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Merge a tag into another
     * @description Every win with this tag gets the other one instead, and this tag is deleted, all or nothing.
     */
    post: operations['mergeTag'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/wins': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List wins
     * @description Newest day first, then newest id, or as `sort` says. All filters must match; an empty filter is ignored. By cursor, a request looks through 10,000 wins at most: where few match, a page can have fewer wins than `per_page`, or none, and still a next cursor.
     */
    get: operations['listWins'];
    put?: never;
    /**
     * Record a win
     * @description It goes in one of your spaces. Names in `tag_names` that don't exist yet are created as tags; names that differ only in case are the same tag. Without `occurred_on` the day is today in UTC.
     */
    post: operations['createWin'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/wins/summary': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Count wins by time, space or tag
     * @description Periods newest first, spaces and tags largest first, at most 10,000; without those that have none. The filters are those of the list.
     */
    get: operations['summarizeWins'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/wins/export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Export wins
     * @description All wins of the filters, newest first, as a file of any length. Markdown has a heading for each space and month. If it fails on the way, the connection is broken off. You can have two exports at a time.
     */
    get: operations['exportWins'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/wins/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a win
     * @description One of your wins, with its space and tags.
     */
    get: operations['getWin'];
    put?: never;
    post?: never;
    /**
     * Delete a win
     * @description Its tags are kept; each tag's `wins_count` drops by one.
     */
    delete: operations['deleteWin'];
    options?: never;
    head?: never;
    /**
     * Update a win
     * @description Send only the fields to change. `tag_names` replaces all its tags; `add_tag_names` and `remove_tag_names` change some. Without any change `updated_at` stays.
     */
    patch: operations['updateWin'];
    trace?: never;
  };
  '/api/v1/wins/batch': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create, update and delete wins
     * @description At most 100 in all, and all or none: if one of them is not valid, nothing is done. The response has the wins in the order of the request.
     */
    post: operations['batchWins'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/changes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what has changed
     * @description For a copy of your spaces, tags and wins. Without `since` everything comes, page by page; then only what has changed, whoever changed it. Once `has_more` is false the copy is what the service has. A deleted space is one entry, also for its wins; a deleted or merged tag is one entry, and no win of the copy has it any more. Deletions are remembered for 90 days.
     */
    get: operations['listChanges'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    Health: {
      /**
       * @example ok
       * @enum {string}
       */
      status: 'ok';
    };
    Limit: {
      /**
       * Format: int32
       * @description How many there may be
       * @example 3
       */
      max: number;
      /**
       * Format: int32
       * @description How many there are
       * @example 1
       */
      used: number;
    };
    Limits: {
      /** @description Spaces: what the plan allows, and never more than 1000 */
      spaces: components['schemas']['Limit'];
      /**
       * @description Tags
       * @example {
       *       "max": 10000,
       *       "used": 10
       *     }
       */
      tags: components['schemas']['Limit'];
      /**
       * @description API tokens that have not expired
       * @example {
       *       "max": 100,
       *       "used": 1
       *     }
       */
      tokens: components['schemas']['Limit'];
    };
    Account: {
      /**
       * Format: email
       * @example demo@example.com
       */
      email: string;
      /**
       * @example free
       * @enum {string}
       */
      plan: 'free' | 'pro';
      /** @description How much there may be, and how much of it is used */
      limits: components['schemas']['Limits'];
      /**
       * Format: date-time
       * @description When the account was created
       * @example 2026-03-14T09:26:53.589Z
       */
      created_at: string;
    };
    Token: {
      /**
       * Format: int64
       * @description Identifier
       * @example 7
       */
      id: number;
      /** @example Mobile app */
      name: string;
      /**
       * @description `read` may only GET and HEAD
       * @example write
       * @enum {string}
       */
      scope: 'read' | 'write';
      /**
       * Format: date-time
       * @description When the token expires; null is never
       * @example 2030-01-31T12:00:00.000Z
       */
      expires_at: string | null;
      /**
       * Format: date-time
       * @description When the token was created
       * @example 2026-03-14T09:26:53.589Z
       */
      created_at: string;
    };
    TokenInput: {
      /**
       * @description What the token is for
       * @example Mobile app
       */
      name: string;
      /**
       * @description `read` may only GET and HEAD; `write` if omitted
       * @example read
       * @enum {string}
       */
      scope?: 'read' | 'write';
      /**
       * Format: date-time
       * @description When the token expires; null is never. If omitted, it inherits the expiry of the token that created it, which it can never outlive.
       * @example 2030-01-31T12:00:00Z
       */
      expires_at?: string | null;
    };
    CreateTokenRequest: {
      token: components['schemas']['TokenInput'];
    };
    IssuedToken: {
      /**
       * Format: int64
       * @description Identifier
       * @example 7
       */
      id: number;
      /** @example Mobile app */
      name: string;
      /**
       * @description `read` may only GET and HEAD
       * @example write
       * @enum {string}
       */
      scope: 'read' | 'write';
      /**
       * Format: date-time
       * @description When the token expires; null is never
       * @example 2030-01-31T12:00:00.000Z
       */
      expires_at: string | null;
      /**
       * Format: date-time
       * @description When the token was created
       * @example 2026-03-14T09:26:53.589Z
       */
      created_at: string;
      /**
       * @description The secret. It is shown only once; only a hash is stored.
       * @example wins_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
       */
      token: string;
    };
    Space: {
      /**
       * Format: int64
       * @description Identifier
       * @example 7
       */
      id: number;
      /** @example Work */
      name: string;
      /**
       * @description One emoji, or null
       * @example 🚀
       */
      emoji: string | null;
      /**
       * Format: int32
       * @description Lower is shown first
       * @example 0
       */
      position: number;
      /**
       * Format: int32
       * @description Number of wins in the space
       * @example 12
       */
      wins_count: number;
      /**
       * Format: date-time
       * @description When the space was created
       * @example 2026-03-14T09:26:53.589Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When name, emoji or position last changed
       * @example 2026-03-14T09:26:53.589Z
       */
      updated_at: string;
    };
    SpaceInput: {
      /**
       * @description Trimmed and put in NFC; two spaces may share a name
       * @example Work
       */
      name: string;
      /**
       * @description Exactly one emoji; `null` or `""` is none
       * @example 🚀
       */
      emoji?: string | null;
      /**
       * Format: int32
       * @description Lower is shown first. If omitted on create, the space goes last.
       * @example 0
       */
      position?: number;
    };
    CreateSpaceRequest: {
      space: components['schemas']['SpaceInput'];
    };
    SpaceChanges: {
      /**
       * @description Trimmed and put in NFC; two spaces may share a name
       * @example Work
       */
      name?: string;
      /**
       * @description Exactly one emoji; `null` or `""` is none
       * @example 🚀
       */
      emoji?: string | null;
      /**
       * Format: int32
       * @description Lower is shown first. If omitted on create, the space goes last.
       * @example 0
       */
      position?: number;
    };
    UpdateSpaceRequest: {
      space: components['schemas']['SpaceChanges'];
    };
    OrderInput: {
      /**
       * @description The ids of all your spaces, each once, in the order to show them
       * @example [
       *       7,
       *       3
       *     ]
       */
      space_ids: number[];
    };
    OrderSpacesRequest: {
      order: components['schemas']['OrderInput'];
    };
    Tag: {
      /**
       * Format: int64
       * @description Identifier
       * @example 7
       */
      id: number;
      /** @example Launch */
      name: string;
      /**
       * Format: int32
       * @description Number of wins that use the tag
       * @example 12
       */
      wins_count: number;
      /**
       * Format: date-time
       * @description When the tag was created
       * @example 2026-03-14T09:26:53.589Z
       */
      created_at: string;
    };
    TagInput: {
      /**
       * @description Trimmed and put in NFC. `Launch` and `launch` are the same name.
       * @example Launch
       */
      name: string;
    };
    TagRequest: {
      tag: components['schemas']['TagInput'];
    };
    MergeInput: {
      /**
       * Format: int64
       * @description The tag that remains
       * @example 7
       */
      into_id: number;
    };
    MergeTagRequest: {
      tag: components['schemas']['MergeInput'];
    };
    DeletedTags: {
      /**
       * Format: int32
       * @description How many tags were deleted
       * @example 12
       */
      deleted: number;
    };
    SpaceOfWin: {
      /**
       * Format: int64
       * @description Identifier
       * @example 7
       */
      id: number;
      /** @example Work */
      name: string;
      /** @example 🚀 */
      emoji: string | null;
    };
    TagOfWin: {
      /**
       * Format: int64
       * @description Identifier
       * @example 7
       */
      id: number;
      /** @example Launch */
      name: string;
    };
    Win: {
      /**
       * Format: int64
       * @description Identifier
       * @example 7
       */
      id: number;
      /** @example Shipped the **new** onboarding */
      body: string;
      /**
       * Format: date
       * @description The day it happened, of no time zone
       * @example 2026-03-14
       */
      occurred_on: string;
      space: components['schemas']['SpaceOfWin'];
      /** @description Alphabetically */
      tags: components['schemas']['TagOfWin'][];
      /**
       * Format: date-time
       * @description When the win was recorded
       * @example 2026-03-14T09:26:53.589Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When body, space, date or tags last changed
       * @example 2026-03-14T09:26:53.589Z
       */
      updated_at: string;
    };
    WinsCount: {
      /**
       * @description The period, such as `2026-03-14`, `2026-W11`, `2026-03` or `2026`; of a space or tag, its `id` and `name`
       * @example 2026-03
       */
      key: string | components['schemas']['TagOfWin'];
      /**
       * Format: int32
       * @example 12
       */
      wins_count: number;
    };
    WinInput: {
      /**
       * @description Text or Markdown, stored as sent
       * @example Shipped the **new** onboarding
       */
      body: string;
      /**
       * Format: int64
       * @description One of your spaces
       * @example 3
       */
      space_id: number;
      /**
       * Format: date
       * @description The day it happened; today in UTC if omitted
       * @example 2026-03-14
       */
      occurred_on?: string;
      /**
       * @description Names that don't exist yet are created as tags. At most 50.
       * @example [
       *       "Launch",
       *       "Team"
       *     ]
       */
      tag_names?: string[];
    };
    CreateWinRequest: {
      win: components['schemas']['WinInput'];
    };
    WinUpdate: {
      /**
       * @description Text or Markdown, stored as sent
       * @example Shipped the **new** onboarding
       */
      body?: string;
      /**
       * Format: int64
       * @description One of your spaces
       * @example 3
       */
      space_id?: number;
      /**
       * Format: date
       * @description The day it happened
       * @example 2026-03-14
       */
      occurred_on?: string;
      /**
       * @description They replace the win's tags; names that don't exist yet are created. If omitted, the tags stay. At most 50.
       * @example [
       *       "Launch",
       *       "Team"
       *     ]
       */
      tag_names?: string[];
      /**
       * @description Added to the tags of the win. Not together with `tag_names`. At most 50.
       * @example [
       *       "Launch",
       *       "Team"
       *     ]
       */
      add_tag_names?: string[];
      /**
       * @description Taken off the win, unless they are also added. Not together with `tag_names`. At most 50.
       * @example [
       *       "Launch",
       *       "Team"
       *     ]
       */
      remove_tag_names?: string[];
      /**
       * Format: int64
       * @description One of your wins
       * @example 7
       */
      id: number;
    };
    BatchInput: {
      /** @description Wins to record, in this order */
      create?: components['schemas']['WinInput'][];
      /** @description Changes of wins, each of another win */
      update?: components['schemas']['WinUpdate'][];
      /**
       * @description Wins to delete
       * @example [
       *       2,
       *       3
       *     ]
       */
      delete?: number[];
    };
    BatchWinsRequest: {
      batch: components['schemas']['BatchInput'];
    };
    WrittenWins: {
      /** @description As in `create` */
      created: components['schemas']['Win'][];
      /** @description As in `update` */
      updated: components['schemas']['Win'][];
      /**
       * @description As in `delete`
       * @example [
       *       2,
       *       3
       *     ]
       */
      deleted: number[];
    };
    WinChanges: {
      /**
       * @description Text or Markdown, stored as sent
       * @example Shipped the **new** onboarding
       */
      body?: string;
      /**
       * Format: int64
       * @description One of your spaces
       * @example 3
       */
      space_id?: number;
      /**
       * Format: date
       * @description The day it happened
       * @example 2026-03-14
       */
      occurred_on?: string;
      /**
       * @description They replace the win's tags; names that don't exist yet are created. If omitted, the tags stay. At most 50.
       * @example [
       *       "Launch",
       *       "Team"
       *     ]
       */
      tag_names?: string[];
      /**
       * @description Added to the tags of the win. Not together with `tag_names`. At most 50.
       * @example [
       *       "Launch",
       *       "Team"
       *     ]
       */
      add_tag_names?: string[];
      /**
       * @description Taken off the win, unless they are also added. Not together with `tag_names`. At most 50.
       * @example [
       *       "Launch",
       *       "Team"
       *     ]
       */
      remove_tag_names?: string[];
    };
    UpdateWinRequest: {
      win: components['schemas']['WinChanges'];
    };
    Deleted: {
      /**
       * @description Spaces, with all wins that are in them
       * @example [
       *       2,
       *       3
       *     ]
       */
      space_ids: number[];
      /**
       * @description Tags, which are no longer on any win
       * @example [
       *       2,
       *       3
       *     ]
       */
      tag_ids: number[];
      /**
       * @description Wins
       * @example [
       *       2,
       *       3
       *     ]
       */
      win_ids: number[];
    };
    Changes: {
      /** @description New and changed ones, as they are now */
      spaces: components['schemas']['Space'][];
      /** @description New and changed ones, as they are now */
      tags: components['schemas']['Tag'][];
      /** @description New and changed ones, as they are now */
      wins: components['schemas']['Win'][];
      deleted: components['schemas']['Deleted'];
      /**
       * @description The value of `since` for the next page, or to ask for changes later
       * @example WyJ3M0hfYTlRMiIsIjQyIl0
       */
      next: string;
      /**
       * @description Whether there are more changes by now
       * @example false
       */
      has_more: boolean;
    };
    /**
     * @description For programs. Codes never change; new ones may come.
     *
     *     | Code                      | Status | Meaning                                                                                       |
     *     | ------------------------- | ------ | --------------------------------------------------------------------------------------------- |
     *     | `bad_request`             | 400    | The request isn't valid HTTP.                                                                 |
     *     | `invalid_json`            | 400    | The body isn't JSON in UTF-8, or is nested more than 20 deep.                                 |
     *     | `invalid_idempotency_key` | 400    | The `Idempotency-Key` must be 1 to 255 visible ASCII characters.                              |
     *     | `unauthenticated`         | 401    | The token is missing, malformed, unknown, expired or revoked.                                 |
     *     | `plan_limit_reached`      | 402    | The plan allows no more spaces; `upgrade_url` leads to a larger one.                          |
     *     | `insufficient_scope`      | 403    | The token has the scope `read`, which only allows GET and HEAD.                               |
     *     | `not_found`               | 404    | No such path, or you don't have anything with this id.                                        |
     *     | `request_timeout`         | 408    | The request took too long to arrive.                                                          |
     *     | `request_in_progress`     | 409    | A request with the same `Idempotency-Key` is still being handled; retry after `Retry-After`.  |
     *     | `already_created`         | 409    | A request with the same `Idempotency-Key` created the token, whose secret is not shown again. |
     *     | `cursor_expired`          | 410    | The cursor is older than what the service remembers; start over without it.                   |
     *     | `precondition_failed`     | 412    | The resource has changed since its `ETag` was sent; nothing was changed.                      |
     *     | `body_too_large`          | 413    | The body is larger than 1 MiB, or has more than 10,000 values.                                |
     *     | `unsupported_media_type`  | 415    | The body isn't `application/json` in UTF-8.                                                   |
     *     | `validation_failed`       | 422    | The request has invalid fields; `details` has one fault for each error.                       |
     *     | `idempotency_key_reused`  | 422    | The `Idempotency-Key` was already used for another request.                                   |
     *     | `rate_limited`            | 429    | There were too many requests within a minute; retry after `Retry-After`.                      |
     *     | `headers_too_large`       | 431    | The headers are larger than 16 KiB, or there are more than 500.                               |
     *     | `internal`                | 500    | An error of the service.                                                                      |
     *     | `not_implemented`         | 501    | The transfer coding is not `chunked`.                                                         |
     *     | `unavailable`             | 503    | The database is down or too busy; the `error` text says whether a change may have been made.  |
     *     | `draining`                | 503    | This instance is about to stop (only from `/readyz`).                                         |
     * @enum {string}
     */
    ErrorCode:
      | 'bad_request'
      | 'invalid_json'
      | 'invalid_idempotency_key'
      | 'unauthenticated'
      | 'plan_limit_reached'
      | 'insufficient_scope'
      | 'not_found'
      | 'request_timeout'
      | 'request_in_progress'
      | 'already_created'
      | 'cursor_expired'
      | 'precondition_failed'
      | 'body_too_large'
      | 'unsupported_media_type'
      | 'validation_failed'
      | 'idempotency_key_reused'
      | 'rate_limited'
      | 'headers_too_large'
      | 'internal'
      | 'not_implemented'
      | 'unavailable'
      | 'draining';
    /** @description The one shape of every error */
    ApiError: {
      /**
       * @description One plain sentence
       * @example Tag not found
       */
      error: string;
      code: components['schemas']['ErrorCode'];
      /**
       * @description The same as in `X-Request-Id`; quote it when you ask for help
       * @example 0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c
       */
      request_id: string;
    };
    /** @description The plan's limit is reached */
    PlanLimitError: {
      /**
       * @description One plain sentence
       * @example Tag not found
       */
      error: string;
      code: components['schemas']['ErrorCode'];
      /**
       * @description The same as in `X-Request-Id`; quote it when you ask for help
       * @example 0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c
       */
      request_id: string;
      /**
       * Format: uri
       * @description Where to get a larger plan
       * @example https://example.com/upgrade
       */
      upgrade_url: string;
    };
    /**
     * @description For programs. Codes never change; new ones may come.
     *
     *     | Code                 | Meaning                                                                          |
     *     | -------------------- | -------------------------------------------------------------------------------- |
     *     | `blank`              | The text has no visible character.                                               |
     *     | `conflict`           | The field must not be sent together with the field `other`.                      |
     *     | `duplicate`          | Some values are repeated; `ids` lists them.                                      |
     *     | `in_the_past`        | The time is not in the future.                                                   |
     *     | `invalid`            | The value is not allowed.                                                        |
     *     | `invalid_characters` | The text has characters that are not allowed, such as control characters.        |
     *     | `invalid_cursor`     | The cursor is not one of this list with these filters.                           |
     *     | `invalid_type`       | The value has another JSON type than `expected`: `string`, `integer` or `array`. |
     *     | `limit_reached`      | A user can have at most `max` of these.                                          |
     *     | `missing`            | Some values are missing; `ids` lists them.                                       |
     *     | `not_a_choice`       | The value is not one of `choices`.                                               |
     *     | `not_a_date`         | The value is not a day such as 2026-01-31.                                       |
     *     | `not_a_time`         | The value is not a time such as 2030-01-31T12:00:00Z.                            |
     *     | `not_an_emoji`       | The value is not exactly one emoji.                                              |
     *     | `not_an_integer`     | The value is not an integer.                                                     |
     *     | `not_found`          | You don't have anything with this id; of a list of ids, `ids` lists those.       |
     *     | `out_of_range`       | The number is less than `min` or more than `max`.                                |
     *     | `outlives_parent`    | The token would expire later than the token that creates it, at `latest`.        |
     *     | `read_only`          | The field can only be read; `instead` is the field to send.                      |
     *     | `required`           | The field is missing.                                                            |
     *     | `taken`              | The name belongs to another of yours; `id` is its id.                            |
     *     | `too_long`           | The text has more than `max` characters.                                         |
     *     | `too_many`           | There are more than `max` of them.                                               |
     *     | `wrapper_missing`    | The fields are not wrapped in an object named as the field.                      |
     * @enum {string}
     */
    FaultCode:
      | 'blank'
      | 'conflict'
      | 'duplicate'
      | 'in_the_past'
      | 'invalid'
      | 'invalid_characters'
      | 'invalid_cursor'
      | 'invalid_type'
      | 'limit_reached'
      | 'missing'
      | 'not_a_choice'
      | 'not_a_date'
      | 'not_a_time'
      | 'not_an_emoji'
      | 'not_an_integer'
      | 'not_found'
      | 'out_of_range'
      | 'outlives_parent'
      | 'read_only'
      | 'required'
      | 'taken'
      | 'too_long'
      | 'too_many'
      | 'wrapper_missing';
    /** @description What a translation of the message needs */
    FaultParams: {
      /**
       * Format: int32
       * @description The smallest number, of `out_of_range`
       */
      min?: number;
      /**
       * Format: int32
       * @description The largest number, length or count
       */
      max?: number;
      /** @description The values to choose from, of `not_a_choice` */
      choices?: string[];
      /**
       * Format: int64
       * @description Which of yours has the name, of `taken`
       */
      id?: number;
      /** @description Which of yours, of `missing`, `not_found` and `duplicate` */
      ids?: number[];
      /**
       * @description The JSON type, of `invalid_type`
       * @enum {string}
       */
      expected?: 'string' | 'integer' | 'array';
      /** @description The field to send, of `read_only` */
      instead?: string;
      /** @description The field that it must not be sent with, of `conflict` */
      other?: string;
      /**
       * Format: date-time
       * @description When your own token expires, of `outlives_parent`
       */
      latest?: string;
    };
    /** @description One thing wrong with a request */
    Fault: {
      /**
       * @description The field, as in the request
       * @example tag.name
       */
      field: string;
      code: components['schemas']['FaultCode'];
      /**
       * @description One plain sentence
       * @example Must not be blank
       */
      message: string;
      /**
       * @description What a translation of the message needs, where it needs anything
       * @example {
       *       "max": 30
       *     }
       */
      params?: components['schemas']['FaultParams'];
    };
    /** @description Fields are not valid */
    ValidationError: {
      /**
       * @description One plain sentence
       * @example Tag not found
       */
      error: string;
      code: components['schemas']['ErrorCode'];
      /**
       * @description The same as in `X-Request-Id`; quote it when you ask for help
       * @example 0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c
       */
      request_id: string;
      /** @description One entry per error; all are reported at once */
      details: components['schemas']['Fault'][];
    };
  };
  responses: {
    /** @description Invalid fields; all errors are reported at once */
    InvalidPage: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "The request has invalid fields",
         *       "code": "validation_failed",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c",
         *       "details": [
         *         {
         *           "field": "page",
         *           "code": "not_an_integer",
         *           "message": "Must be an integer"
         *         }
         *       ]
         *     }
         */
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description The request isn't valid HTTP, for instance without `Host` */
    MalformedRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "The request is malformed",
         *       "code": "bad_request",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description The body isn't JSON in UTF-8, or is nested more than 20 deep, or the `Idempotency-Key` isn't one */
    MalformedBody: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description Every bad token gets the same 401, whether missing, mistyped, expired or revoked. `WWW-Authenticate` has the challenge */
    Unauthenticated: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        /** @description The challenge (RFC 6750) */
        'WWW-Authenticate': string;
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "Authentication required",
         *       "code": "unauthenticated",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description The plan allows no more spaces */
    PlanLimitReached: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "Your plan is limited to 3 spaces",
         *       "code": "plan_limit_reached",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c",
         *       "upgrade_url": "https://example.com/upgrade"
         *     }
         */
        'application/json': components['schemas']['PlanLimitError'];
      };
    };
    /** @description The token has the scope `read` */
    InsufficientScope: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        /** @description The challenge (RFC 6750) */
        'WWW-Authenticate': string;
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "This token may only read",
         *       "code": "insufficient_scope",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description A request with the same `Idempotency-Key` is under way. Repeat it after `Retry-After` */
    RequestInProgress: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        'Retry-After': components['headers']['Retry-After'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "A request with this Idempotency-Key is under way",
         *       "code": "request_in_progress",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description A request with the same `Idempotency-Key` created the token; `Location` is where it is. Its secret is not kept: delete it and create another. Or the request is still under way */
    AlreadyCreated: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description What happened since then is no longer known. Begin anew without `since`, and replace the copy */
    CursorExpired: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "These changes are no longer known; start over, without since",
         *       "code": "cursor_expired",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description The resource has changed since you read it: its `ETag` is not in `If-Match`. Nothing was changed */
    PreconditionFailed: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "This has changed since you read it; read it again before you change it",
         *       "code": "precondition_failed",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description The body is larger than 1 MiB, or has more than 10,000 values */
    BodyTooLarge: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description The body isn't `application/json`, or not in UTF-8 */
    UnsupportedMediaType: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description The user, or for failed sign-ins the address, sent too many requests within a minute. `Retry-After` says how many seconds to wait */
    RateLimited: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        'Retry-After': components['headers']['Retry-After'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "Too many requests",
         *       "code": "rate_limited",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description An error of the service */
    InternalError: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "Something went wrong on our side",
         *       "code": "internal",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description The database is down or too busy. The text says that nothing was changed, and you can retry after `Retry-After`, or that a write may have been done: check first */
    Unavailable: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        'Retry-After': components['headers']['Retry-After'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description The database is down, or the instance is about to stop */
    NotReady: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        'Retry-After': components['headers']['Retry-After'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidMerge: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    UsedRequired: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "The request has invalid fields",
         *       "code": "validation_failed",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c",
         *       "details": [
         *         {
         *           "field": "used",
         *           "code": "required",
         *           "message": "Must be false: only unused tags can be deleted together"
         *         }
         *       ]
         *     }
         */
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidTag: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidSummary: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidExport: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidFilter: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidOrder: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidMove: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidSpace: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidChanges: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidWin: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidToken: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description No such token, or it belongs to another user */
    TokenNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "Token not found",
         *       "code": "not_found",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidChangesQuery: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description No such space, or it belongs to another user */
    SpaceNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "Space not found",
         *       "code": "not_found",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidTagQuery: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description No such tag, or it belongs to another user */
    TagNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "Tag not found",
         *       "code": "not_found",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description Invalid fields; all errors are reported at once */
    InvalidBatch: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description No such win, or it belongs to another user */
    WinNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "Win not found",
         *       "code": "not_found",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
  };
  parameters: never;
  requestBodies: never;
  headers: {
    /** @description The id of the request, yours if you sent one */
    'X-Request-Id': string;
    /** @description How many requests a user has in a minute. Absent without a limit */
    'X-RateLimit-Limit': number;
    /** @description How many of them are left. Absent without a limit */
    'X-RateLimit-Remaining': number;
    /** @description When the count starts anew, in Unix seconds. Absent without a limit */
    'X-RateLimit-Reset': number;
    /** @description How many items all pages have. Absent with `after` */
    'X-Total-Count': number;
    /** @description The page that is shown. Absent with `after` */
    'X-Page': number;
    /** @description How many items a page has at most */
    'X-Per-Page': number;
    /** @description Changes whenever the response would. For `If-None-Match` and `If-Match` */
    ETag: string;
    /** @description The value of `after` for the next page. Only with `after`, and not on the last page */
    'X-Next-Cursor': string;
    /** @description Under which name to save it */
    'Content-Disposition': string;
    /** @description Seconds to wait before the next request */
    'Retry-After': number;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  isAlive: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ok"
           *     }
           */
          'application/json': components['schemas']['Health'];
        };
      };
      400: components['responses']['MalformedRequest'];
    };
  };
  isReady: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ok"
           *     }
           */
          'application/json': components['schemas']['Health'];
        };
      };
      400: components['responses']['MalformedRequest'];
      503: components['responses']['NotReady'];
    };
  };
  getMe: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of a response that you have, or several. If it would be the same again: 304 */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "email": "demo@example.com",
           *       "plan": "free",
           *       "limits": {
           *         "spaces": {
           *           "max": 3,
           *           "used": 3
           *         },
           *         "tags": {
           *           "max": 10000,
           *           "used": 12
           *         },
           *         "tokens": {
           *           "max": 100,
           *           "used": 1
           *         }
           *       },
           *       "created_at": "2026-01-05T07:30:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Account'];
        };
      };
      /** @description You have the current response */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['Unauthenticated'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listTokens: {
    parameters: {
      query?: {
        /** @description Which page, from 1. Out of range is clamped. */
        page?: number;
        /** @description How many items a page has, at most 100. Out of range is clamped. */
        per_page?: number;
      };
      header?: {
        /** @description The `ETag` of a response that you have, or several. If it would be the same again: 304 */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          'X-Total-Count': components['headers']['X-Total-Count'];
          'X-Page': components['headers']['X-Page'];
          'X-Per-Page': components['headers']['X-Per-Page'];
          /** @description The neighbours of the page (RFC 8288): `first`, `prev`, `next` and `last`, where there are any. Long filters make it shorter: at most 2,000 bytes, and `next` is the last to be omitted */
          Link?: string;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 2,
           *         "name": "Laptop",
           *         "scope": "write",
           *         "expires_at": null,
           *         "created_at": "2026-01-05T07:31:12.871Z"
           *       },
           *       {
           *         "id": 7,
           *         "name": "Mobile app",
           *         "scope": "read",
           *         "expires_at": "2030-01-31T12:00:00.000Z",
           *         "created_at": "2026-03-14T09:26:53.589Z"
           *       }
           *     ]
           */
          'application/json': components['schemas']['Token'][];
        };
      };
      /** @description You have the current response */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['Unauthenticated'];
      422: components['responses']['InvalidPage'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createToken: {
    parameters: {
      query?: never;
      header?: {
        /** @description A new name for each thing to do, such as a UUID. Within 24 hours a repetition with the same key does nothing again and gets the same response, with `Idempotency-Replayed: true` */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateTokenRequest'];
      };
    };
    responses: {
      /** @description Created */
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          /** @description Where the new resource is */
          Location: string;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "name": "Mobile app",
           *       "scope": "read",
           *       "expires_at": "2030-01-31T12:00:00.000Z",
           *       "created_at": "2026-03-14T09:26:53.589Z",
           *       "token": "wins_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
           *     }
           */
          'application/json': components['schemas']['IssuedToken'];
        };
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      409: components['responses']['AlreadyCreated'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidToken'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getToken: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of a response that you have, or several. If it would be the same again: 304 */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The `id` of one of yours */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "name": "Mobile app",
           *       "scope": "read",
           *       "expires_at": "2030-01-31T12:00:00.000Z",
           *       "created_at": "2026-03-14T09:26:53.589Z"
           *     }
           */
          'application/json': components['schemas']['Token'];
        };
      };
      /** @description You have the current response */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['Unauthenticated'];
      404: components['responses']['TokenNotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  revokeToken: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The `id` of one of yours */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done */
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['TokenNotFound'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listSpaces: {
    parameters: {
      query?: {
        /** @description Which page, from 1. Out of range is clamped. */
        page?: number;
        /** @description How many items a page has, at most 100. Out of range is clamped. */
        per_page?: number;
      };
      header?: {
        /** @description The `ETag` of a response that you have, or several. If it would be the same again: 304 */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          'X-Total-Count': components['headers']['X-Total-Count'];
          'X-Page': components['headers']['X-Page'];
          'X-Per-Page': components['headers']['X-Per-Page'];
          /** @description The neighbours of the page (RFC 8288): `first`, `prev`, `next` and `last`, where there are any. Long filters make it shorter: at most 2,000 bytes, and `next` is the last to be omitted */
          Link?: string;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 3,
           *         "name": "Work",
           *         "emoji": "💼",
           *         "position": 0,
           *         "wins_count": 32,
           *         "created_at": "2026-01-05T07:32:40.002Z",
           *         "updated_at": "2026-01-05T07:32:40.002Z"
           *       },
           *       {
           *         "id": 7,
           *         "name": "Side project",
           *         "emoji": "🚀",
           *         "position": 1,
           *         "wins_count": 0,
           *         "created_at": "2026-03-14T09:26:53.589Z",
           *         "updated_at": "2026-03-14T09:26:53.589Z"
           *       }
           *     ]
           */
          'application/json': components['schemas']['Space'][];
        };
      };
      /** @description You have the current response */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['Unauthenticated'];
      422: components['responses']['InvalidPage'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createSpace: {
    parameters: {
      query?: never;
      header?: {
        /** @description A new name for each thing to do, such as a UUID. Within 24 hours a repetition with the same key does nothing again and gets the same response, with `Idempotency-Replayed: true` */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateSpaceRequest'];
      };
    };
    responses: {
      /** @description Created */
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          /** @description Where the new resource is */
          Location: string;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "name": "Side project",
           *       "emoji": "🚀",
           *       "position": 1,
           *       "wins_count": 0,
           *       "created_at": "2026-03-14T09:26:53.589Z",
           *       "updated_at": "2026-03-14T09:26:53.589Z"
           *     }
           */
          'application/json': components['schemas']['Space'];
        };
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      402: components['responses']['PlanLimitReached'];
      403: components['responses']['InsufficientScope'];
      409: components['responses']['RequestInProgress'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidSpace'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getSpace: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of a response that you have, or several. If it would be the same again: 304 */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The `id` of one of yours */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "name": "Side project",
           *       "emoji": "🚀",
           *       "position": 1,
           *       "wins_count": 0,
           *       "created_at": "2026-03-14T09:26:53.589Z",
           *       "updated_at": "2026-03-14T09:26:53.589Z"
           *     }
           */
          'application/json': components['schemas']['Space'];
        };
      };
      /** @description You have the current response */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['Unauthenticated'];
      404: components['responses']['SpaceNotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteSpace: {
    parameters: {
      query?: {
        /** @description Another space of yours, which gets the wins. If omitted, they are deleted with the space */
        move_wins_to?: number;
      };
      header?: {
        /** @description The `ETag` of the resource as you read it. If it has changed since: 412, and nothing is changed */
        'If-Match'?: string;
      };
      path: {
        /** @description The `id` of one of yours */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done */
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['SpaceNotFound'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidMove'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateSpace: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of the resource as you read it. If it has changed since: 412, and nothing is changed */
        'If-Match'?: string;
      };
      path: {
        /** @description The `id` of one of yours */
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateSpaceRequest'];
      };
    };
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "name": "Moonshot",
           *       "emoji": "🚀",
           *       "position": 1,
           *       "wins_count": 0,
           *       "created_at": "2026-03-14T09:26:53.589Z",
           *       "updated_at": "2026-03-16T08:02:11.204Z"
           *     }
           */
          'application/json': components['schemas']['Space'];
        };
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['SpaceNotFound'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidSpace'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  orderSpaces: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['OrderSpacesRequest'];
      };
    };
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 7,
           *         "name": "Side project",
           *         "emoji": "🚀",
           *         "position": 0,
           *         "wins_count": 0,
           *         "created_at": "2026-03-14T09:26:53.589Z",
           *         "updated_at": "2026-03-16T08:02:11.204Z"
           *       },
           *       {
           *         "id": 3,
           *         "name": "Work",
           *         "emoji": "💼",
           *         "position": 1,
           *         "wins_count": 32,
           *         "created_at": "2026-01-05T07:32:40.002Z",
           *         "updated_at": "2026-03-16T08:02:11.204Z"
           *       }
           *     ]
           */
          'application/json': components['schemas']['Space'][];
        };
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidOrder'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listTags: {
    parameters: {
      query?: {
        /** @description Which page, from 1. Out of range is clamped. */
        page?: number;
        /** @description How many items a page has, at most 100. Out of range is clamped. */
        per_page?: number;
        /** @description Reads the list from cursor to cursor: empty for the first page, then the `X-Next-Cursor` of the page before. No row that comes or goes meanwhile is seen twice or makes another be missed. There is no total then, and `page` is ignored */
        after?: string;
        /** @description Only tags with this in their name, in any case. Names that begin with it come first */
        q?: string;
        /** @description Only tags that wins use, or that none uses */
        used?: 'true' | 'false';
        /** @description `name` if omitted. Ties by name, then id */
        sort?: 'name' | '-name' | 'wins_count' | '-wins_count' | 'created_at' | '-created_at';
      };
      header?: {
        /** @description The `ETag` of a response that you have, or several. If it would be the same again: 304 */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          'X-Total-Count': components['headers']['X-Total-Count'];
          'X-Page': components['headers']['X-Page'];
          'X-Per-Page': components['headers']['X-Per-Page'];
          'X-Next-Cursor': components['headers']['X-Next-Cursor'];
          /** @description The neighbours of the page (RFC 8288): `first`, `prev`, `next` and `last`, where there are any. Long filters make it shorter: at most 2,000 bytes, and `next` is the last to be omitted */
          Link?: string;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 5,
           *         "name": "Customers",
           *         "wins_count": 14,
           *         "created_at": "2026-01-07T16:20:05.310Z"
           *       },
           *       {
           *         "id": 7,
           *         "name": "Launch",
           *         "wins_count": 0,
           *         "created_at": "2026-03-14T09:26:53.589Z"
           *       }
           *     ]
           */
          'application/json': components['schemas']['Tag'][];
        };
      };
      /** @description You have the current response */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['Unauthenticated'];
      422: components['responses']['InvalidTagQuery'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createTag: {
    parameters: {
      query?: never;
      header?: {
        /** @description A new name for each thing to do, such as a UUID. Within 24 hours a repetition with the same key does nothing again and gets the same response, with `Idempotency-Replayed: true` */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TagRequest'];
      };
    };
    responses: {
      /** @description Created */
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          /** @description Where the new resource is */
          Location: string;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "name": "Launch",
           *       "wins_count": 0,
           *       "created_at": "2026-03-14T09:26:53.589Z"
           *     }
           */
          'application/json': components['schemas']['Tag'];
        };
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      409: components['responses']['RequestInProgress'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidTag'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteUnusedTags: {
    parameters: {
      query: {
        /** @description Must be `false` */
        used: 'false';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "deleted": 12
           *     }
           */
          'application/json': components['schemas']['DeletedTags'];
        };
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UsedRequired'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getTag: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of a response that you have, or several. If it would be the same again: 304 */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The `id` of one of yours */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "name": "Launch",
           *       "wins_count": 0,
           *       "created_at": "2026-03-14T09:26:53.589Z"
           *     }
           */
          'application/json': components['schemas']['Tag'];
        };
      };
      /** @description You have the current response */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['Unauthenticated'];
      404: components['responses']['TagNotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteTag: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of the resource as you read it. If it has changed since: 412, and nothing is changed */
        'If-Match'?: string;
      };
      path: {
        /** @description The `id` of one of yours */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done */
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['TagNotFound'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  renameTag: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of the resource as you read it. If it has changed since: 412, and nothing is changed */
        'If-Match'?: string;
      };
      path: {
        /** @description The `id` of one of yours */
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TagRequest'];
      };
    };
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "name": "Product launch",
           *       "wins_count": 0,
           *       "created_at": "2026-03-14T09:26:53.589Z"
           *     }
           */
          'application/json': components['schemas']['Tag'];
        };
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['TagNotFound'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidTag'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  mergeTag: {
    parameters: {
      query?: never;
      header?: {
        /** @description A new name for each thing to do, such as a UUID. Within 24 hours a repetition with the same key does nothing again and gets the same response, with `Idempotency-Replayed: true` */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The `id` of one of yours */
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['MergeTagRequest'];
      };
    };
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 5,
           *       "name": "Customers",
           *       "wins_count": 14,
           *       "created_at": "2026-01-07T16:20:05.310Z"
           *     }
           */
          'application/json': components['schemas']['Tag'];
        };
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['TagNotFound'];
      409: components['responses']['RequestInProgress'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidMerge'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listWins: {
    parameters: {
      query?: {
        /** @description Only wins of this space; repeated, of any of these, at most 50 */
        space_id?: number[];
        /** @description Only wins with the tag of this name, in any case; repeated, with all of these, at most 10 */
        tag?: string[];
        /** @description Only wins without a tag, or with one */
        untagged?: 'true' | 'false';
        /** @description Only wins of this day or later, such as 2026-01-01 */
        since?: string;
        /** @description Only wins of this day or earlier */
        until?: string;
        /** @description Only wins whose body has all these words or parts of words, in any case; at most 10 */
        q?: string;
        /** @description Which page, from 1. Out of range is clamped. */
        page?: number;
        /** @description How many items a page has, at most 100. Out of range is clamped. */
        per_page?: number;
        /** @description Reads the list from cursor to cursor: empty for the first page, then the `X-Next-Cursor` of the page before. No row that comes or goes meanwhile is seen twice or makes another be missed. There is no total then, and `page` is ignored */
        after?: string;
        /** @description `-occurred_on` if omitted. Ties by id */
        sort?: '-occurred_on' | 'occurred_on' | '-created_at' | '-updated_at';
      };
      header?: {
        /** @description The `ETag` of a response that you have, or several. If it would be the same again: 304 */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          'X-Total-Count': components['headers']['X-Total-Count'];
          'X-Page': components['headers']['X-Page'];
          'X-Per-Page': components['headers']['X-Per-Page'];
          'X-Next-Cursor': components['headers']['X-Next-Cursor'];
          /** @description The neighbours of the page (RFC 8288): `first`, `prev`, `next` and `last`, where there are any. Long filters make it shorter: at most 2,000 bytes, and `next` is the last to be omitted */
          Link?: string;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 7,
           *         "body": "Shipped the **new** onboarding",
           *         "occurred_on": "2026-03-14",
           *         "space": {
           *           "id": 3,
           *           "name": "Work",
           *           "emoji": "💼"
           *         },
           *         "tags": [
           *           {
           *             "id": 5,
           *             "name": "Customers"
           *           },
           *           {
           *             "id": 7,
           *             "name": "Launch"
           *           }
           *         ],
           *         "created_at": "2026-03-14T09:26:53.589Z",
           *         "updated_at": "2026-03-14T09:26:53.589Z"
           *       },
           *       {
           *         "id": 6,
           *         "body": "Calm review of a difficult change",
           *         "occurred_on": "2026-03-12",
           *         "space": {
           *           "id": 3,
           *           "name": "Work",
           *           "emoji": "💼"
           *         },
           *         "tags": [],
           *         "created_at": "2026-03-12T15:47:19.040Z",
           *         "updated_at": "2026-03-12T15:47:19.040Z"
           *       }
           *     ]
           */
          'application/json': components['schemas']['Win'][];
        };
      };
      /** @description You have the current response */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['Unauthenticated'];
      422: components['responses']['InvalidFilter'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createWin: {
    parameters: {
      query?: never;
      header?: {
        /** @description A new name for each thing to do, such as a UUID. Within 24 hours a repetition with the same key does nothing again and gets the same response, with `Idempotency-Replayed: true` */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateWinRequest'];
      };
    };
    responses: {
      /** @description Created */
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          /** @description Where the new resource is */
          Location: string;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "body": "Shipped the **new** onboarding",
           *       "occurred_on": "2026-03-14",
           *       "space": {
           *         "id": 3,
           *         "name": "Work",
           *         "emoji": "💼"
           *       },
           *       "tags": [
           *         {
           *           "id": 5,
           *           "name": "Customers"
           *         },
           *         {
           *           "id": 7,
           *           "name": "Launch"
           *         }
           *       ],
           *       "created_at": "2026-03-14T09:26:53.589Z",
           *       "updated_at": "2026-03-14T09:26:53.589Z"
           *     }
           */
          'application/json': components['schemas']['Win'];
        };
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      409: components['responses']['RequestInProgress'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidWin'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  summarizeWins: {
    parameters: {
      query: {
        /** @description Only wins of this space; repeated, of any of these, at most 50 */
        space_id?: number[];
        /** @description Only wins with the tag of this name, in any case; repeated, with all of these, at most 10 */
        tag?: string[];
        /** @description Only wins without a tag, or with one */
        untagged?: 'true' | 'false';
        /** @description Only wins of this day or later, such as 2026-01-01 */
        since?: string;
        /** @description Only wins of this day or earlier */
        until?: string;
        /** @description Only wins whose body has all these words or parts of words, in any case; at most 10 */
        q?: string;
        /** @description What to count by; weeks are those of ISO 8601 */
        by: 'day' | 'week' | 'month' | 'year' | 'space' | 'tag';
      };
      header?: {
        /** @description The `ETag` of a response that you have, or several. If it would be the same again: 304 */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "key": "2026-03",
           *         "wins_count": 12
           *       },
           *       {
           *         "key": "2026-02",
           *         "wins_count": 7
           *       }
           *     ]
           */
          'application/json': components['schemas']['WinsCount'][];
        };
      };
      /** @description You have the current response */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['Unauthenticated'];
      422: components['responses']['InvalidSummary'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  exportWins: {
    parameters: {
      query: {
        /** @description Only wins of this space; repeated, of any of these, at most 50 */
        space_id?: number[];
        /** @description Only wins with the tag of this name, in any case; repeated, with all of these, at most 10 */
        tag?: string[];
        /** @description Only wins without a tag, or with one */
        untagged?: 'true' | 'false';
        /** @description Only wins of this day or later, such as 2026-01-01 */
        since?: string;
        /** @description Only wins of this day or earlier */
        until?: string;
        /** @description Only wins whose body has all these words or parts of words, in any case; at most 10 */
        q?: string;
        /** @description Text to paste, a spreadsheet, or one JSON object a line */
        format: 'markdown' | 'csv' | 'ndjson';
      };
      header?: {
        /** @description The `ETag` of a response that you have, or several. If it would be the same again: 304 */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          'Content-Disposition': components['headers']['Content-Disposition'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example # Wins
           *
           *     ## 💼 Work
           *
           *     ### March 2026
           *
           *     - **2026-03-14** Shipped the **new** onboarding _(Customers, Launch)_
           */
          'text/markdown': string;
          /**
           * @example id,occurred_on,space,body,tags,created_at,updated_at
           *     7,2026-03-14,Work,Shipped the **new** onboarding,"Customers, Launch",2026-03-14T09:26:53.589Z,2026-03-14T09:26:53.589Z
           */
          'text/csv': string;
          /**
           * @example {"id":7,"body":"Shipped the **new** onboarding","occurred_on":"2026-03-14","space":{"id":3,"name":"Work","emoji":"💼"},"tags":[{"id":5,"name":"Customers"},{"id":7,"name":"Launch"}],"created_at":"2026-03-14T09:26:53.589Z","updated_at":"2026-03-14T09:26:53.589Z"}
           *     {"id":6,"body":"Calm review of a difficult change","occurred_on":"2026-03-12","space":{"id":3,"name":"Work","emoji":"💼"},"tags":[],"created_at":"2026-03-12T15:47:19.040Z","updated_at":"2026-03-12T15:47:19.040Z"}
           */
          'application/x-ndjson': string;
        };
      };
      /** @description You have the current response */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['Unauthenticated'];
      422: components['responses']['InvalidExport'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getWin: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of a response that you have, or several. If it would be the same again: 304 */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The `id` of one of yours */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "body": "Shipped the **new** onboarding",
           *       "occurred_on": "2026-03-14",
           *       "space": {
           *         "id": 3,
           *         "name": "Work",
           *         "emoji": "💼"
           *       },
           *       "tags": [
           *         {
           *           "id": 5,
           *           "name": "Customers"
           *         },
           *         {
           *           "id": 7,
           *           "name": "Launch"
           *         }
           *       ],
           *       "created_at": "2026-03-14T09:26:53.589Z",
           *       "updated_at": "2026-03-14T09:26:53.589Z"
           *     }
           */
          'application/json': components['schemas']['Win'];
        };
      };
      /** @description You have the current response */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['Unauthenticated'];
      404: components['responses']['WinNotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteWin: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of the resource as you read it. If it has changed since: 412, and nothing is changed */
        'If-Match'?: string;
      };
      path: {
        /** @description The `id` of one of yours */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done */
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['WinNotFound'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateWin: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of the resource as you read it. If it has changed since: 412, and nothing is changed */
        'If-Match'?: string;
      };
      path: {
        /** @description The `id` of one of yours */
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateWinRequest'];
      };
    };
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "body": "Shipped the **new** onboarding",
           *       "occurred_on": "2026-03-14",
           *       "space": {
           *         "id": 3,
           *         "name": "Work",
           *         "emoji": "💼"
           *       },
           *       "tags": [
           *         {
           *           "id": 5,
           *           "name": "Customers"
           *         }
           *       ],
           *       "created_at": "2026-03-14T09:26:53.589Z",
           *       "updated_at": "2026-03-16T08:02:11.204Z"
           *     }
           */
          'application/json': components['schemas']['Win'];
        };
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['WinNotFound'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidChanges'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  batchWins: {
    parameters: {
      query?: never;
      header?: {
        /** @description A new name for each thing to do, such as a UUID. Within 24 hours a repetition with the same key does nothing again and gets the same response, with `Idempotency-Replayed: true` */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['BatchWinsRequest'];
      };
    };
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "created": [
           *         {
           *           "id": 8,
           *           "body": "Inbox zero",
           *           "occurred_on": "2026-03-14",
           *           "space": {
           *             "id": 3,
           *             "name": "Work",
           *             "emoji": "💼"
           *           },
           *           "tags": [],
           *           "created_at": "2026-03-14T09:26:53.589Z",
           *           "updated_at": "2026-03-14T09:26:53.589Z"
           *         }
           *       ],
           *       "updated": [
           *         {
           *           "id": 7,
           *           "body": "Shipped the **new** onboarding",
           *           "occurred_on": "2026-03-14",
           *           "space": {
           *             "id": 3,
           *             "name": "Work",
           *             "emoji": "💼"
           *           },
           *           "tags": [
           *             {
           *               "id": 5,
           *               "name": "Customers"
           *             },
           *             {
           *               "id": 7,
           *               "name": "Launch"
           *             },
           *             {
           *               "id": 9,
           *               "name": "Team"
           *             }
           *           ],
           *           "created_at": "2026-03-14T09:26:53.589Z",
           *           "updated_at": "2026-03-16T08:02:11.204Z"
           *         }
           *       ],
           *       "deleted": [
           *         6
           *       ]
           *     }
           */
          'application/json': components['schemas']['WrittenWins'];
        };
      };
      400: components['responses']['MalformedBody'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      409: components['responses']['RequestInProgress'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['InvalidBatch'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listChanges: {
    parameters: {
      query?: {
        /** @description The `next` of the response that you had last. If omitted, everything comes from the beginning */
        since?: string;
        /** @description How many changes a page has, at most 500. Out of range is clamped. */
        limit?: number;
      };
      header?: {
        /** @description The `ETag` of a response that you have, or several. If it would be the same again: 304 */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "spaces": [
           *         {
           *           "id": 7,
           *           "name": "Side project",
           *           "emoji": "🚀",
           *           "position": 1,
           *           "wins_count": 0,
           *           "created_at": "2026-03-14T09:26:53.589Z",
           *           "updated_at": "2026-03-14T09:26:53.589Z"
           *         }
           *       ],
           *       "tags": [
           *         {
           *           "id": 7,
           *           "name": "Launch",
           *           "wins_count": 0,
           *           "created_at": "2026-03-14T09:26:53.589Z"
           *         }
           *       ],
           *       "wins": [
           *         {
           *           "id": 7,
           *           "body": "Shipped the **new** onboarding",
           *           "occurred_on": "2026-03-14",
           *           "space": {
           *             "id": 3,
           *             "name": "Work",
           *             "emoji": "💼"
           *           },
           *           "tags": [
           *             {
           *               "id": 5,
           *               "name": "Customers"
           *             },
           *             {
           *               "id": 7,
           *               "name": "Launch"
           *             }
           *           ],
           *           "created_at": "2026-03-14T09:26:53.589Z",
           *           "updated_at": "2026-03-14T09:26:53.589Z"
           *         }
           *       ],
           *       "deleted": {
           *         "space_ids": [],
           *         "tag_ids": [
           *           9
           *         ],
           *         "win_ids": [
           *           2,
           *           3
           *         ]
           *       },
           *       "next": "WyJ3M0hfYTlRMiIsIjQyIiwiNDIiLCI5IiwiMCJd",
           *       "has_more": false
           *     }
           */
          'application/json': components['schemas']['Changes'];
        };
      };
      /** @description You have the current response */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['Unauthenticated'];
      410: components['responses']['CursorExpired'];
      422: components['responses']['InvalidChangesQuery'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
}
