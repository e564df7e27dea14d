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
     * The process lives
     * @description Answers as long as the process does.
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
     * The service can work
     * @description Answers 200 while the database answers and the instance is not about to stop.
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
     * @description Your email and plan, what the plan allows and how much of it you use.
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
     * @description Oldest first. The secrets are not among what is shown; nobody has them.
     */
    get: operations['listTokens'];
    put?: never;
    /**
     * Make an API token
     * @description The secret is in this answer and never shown again.
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
     * @description Every instance refuses it within a second. A token may revoke itself.
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
     * @description In display order: by position, ties by id.
     */
    get: operations['listSpaces'];
    put?: never;
    /**
     * Create a space
     * @description The free plan has at most 3; the fourth is refused with 402.
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
     * @description One of your spaces.
     */
    get: operations['getSpace'];
    put?: never;
    post?: never;
    /**
     * Delete a space
     * @description All wins in it are deleted with it, all or nothing.
     */
    delete: operations['deleteSpace'];
    options?: never;
    head?: never;
    /**
     * Update a space
     * @description Send only the fields to change; an emoji of `null` takes it away.
     */
    patch: operations['updateSpace'];
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
     * @description Alphabetically, as people read it: case and accents do not split the alphabet.
     */
    get: operations['listTags'];
    put?: never;
    /**
     * Create a tag
     * @description The name must not be taken; case does not tell two names apart.
     */
    post: operations['createTag'];
    delete?: never;
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
     * @description One of your tags.
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
     * @description The new name applies to all wins that use the tag.
     */
    patch: operations['renameTag'];
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
     * @description Newest day first, then newest id. Filters are joined by "and".
     */
    get: operations['listWins'];
    put?: never;
    /**
     * Record a win
     * @description Names in `tag_names` that are no tags yet become some.
     */
    post: operations['createWin'];
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
     * @description One of your wins.
     */
    get: operations['getWin'];
    put?: never;
    post?: never;
    /**
     * Delete a win
     * @description Its tags stay, with one win less.
     */
    delete: operations['deleteWin'];
    options?: never;
    head?: never;
    /**
     * Update a win
     * @description Send only the fields to change; `tag_names` replaces all its tags.
     */
    patch: operations['updateWin'];
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    Health: {
      /** @example ok */
      status: string;
    };
    Limit: {
      /**
       * @description How many there may be; null is no limit
       * @example 3
       */
      max: number | null;
      /**
       * Format: int32
       * @description How many there are
       * @example 1
       */
      readonly used: number;
    };
    Limits: {
      /** @description Spaces */
      spaces: components['schemas']['Limit'];
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
      /** @description What the plan allows and how much of it is used */
      limits: components['schemas']['Limits'];
      /**
       * Format: date-time
       * @description When the account was made
       * @example 2026-03-14T09:26:53.589Z
       */
      readonly created_at: string;
    };
    Token: {
      /**
       * Format: int64
       * @description Identifier
       * @example 7
       */
      readonly id: number;
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
       * @description When the token ends; null is never
       * @example 2030-01-31T12:00:00.000Z
       */
      expires_at: string | null;
      /**
       * Format: date-time
       * @description When the token was made
       * @example 2026-03-14T09:26:53.589Z
       */
      readonly created_at: string;
    };
    TokenInput: {
      /**
       * @description What the token is for
       * @example Mobile app
       */
      name: string;
      /**
       * @description `read` may only GET and HEAD; `write` if left out
       * @example read
       * @enum {string}
       */
      scope?: 'read' | 'write';
      /**
       * Format: date-time
       * @description When the token ends; null is never. Left out, it ends with the token that makes it, which it can never outlive.
       * @example 2030-01-31T12:00:00Z
       */
      expires_at?: string | null;
    };
    CreateToken: {
      token: components['schemas']['TokenInput'];
    };
    IssuedToken: {
      /**
       * Format: int64
       * @description Identifier
       * @example 7
       */
      readonly id: number;
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
       * @description When the token ends; null is never
       * @example 2030-01-31T12:00:00.000Z
       */
      expires_at: string | null;
      /**
       * Format: date-time
       * @description When the token was made
       * @example 2026-03-14T09:26:53.589Z
       */
      readonly created_at: string;
      /**
       * @description The secret. It is shown this once and stored nowhere.
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
      readonly id: number;
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
      readonly wins_count: number;
      /**
       * Format: date-time
       * @description When the space was made
       * @example 2026-03-14T09:26:53.589Z
       */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When name, emoji or position last changed
       * @example 2026-03-14T09:26:53.589Z
       */
      readonly updated_at: string;
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
       * @description Lower is shown first. Left out on create, the space goes last.
       * @example 0
       */
      position?: number;
    };
    CreateSpace: {
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
       * @description Lower is shown first. Left out on create, the space goes last.
       * @example 0
       */
      position?: number;
    };
    UpdateSpace: {
      space: components['schemas']['SpaceChanges'];
    };
    Tag: {
      /**
       * Format: int64
       * @description Identifier
       * @example 7
       */
      readonly id: number;
      /** @example Launch */
      name: string;
      /**
       * Format: int32
       * @description Number of wins that use the tag
       * @example 12
       */
      readonly wins_count: number;
      /**
       * Format: date-time
       * @description When the tag was made
       * @example 2026-03-14T09:26:53.589Z
       */
      readonly created_at: string;
    };
    TagInput: {
      /**
       * @description Trimmed and put in NFC. `Launch` and `launch` are the same name.
       * @example Launch
       */
      name: string;
    };
    TagBody: {
      tag: components['schemas']['TagInput'];
    };
    SpaceOfWin: {
      /**
       * Format: int64
       * @description Identifier
       * @example 7
       */
      readonly id: number;
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
      readonly id: number;
      /** @example Launch */
      name: string;
    };
    Win: {
      /**
       * Format: int64
       * @description Identifier
       * @example 7
       */
      readonly id: number;
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
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When body, space, date or tags last changed
       * @example 2026-03-14T09:26:53.589Z
       */
      readonly updated_at: string;
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
       * @description The day it happened; today in UTC if left out
       * @example 2026-03-14
       */
      occurred_on?: string;
      /**
       * @description At most 50. Unknown names make tags. On update they replace the win's tags; left out, those stay.
       * @example [
       *       "Launch",
       *       "Team"
       *     ]
       */
      tag_names?: string[] | string;
    };
    CreateWin: {
      win: components['schemas']['WinInput'];
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
       * @description At most 50. Unknown names make tags. On update they replace the win's tags; left out, those stay.
       * @example [
       *       "Launch",
       *       "Team"
       *     ]
       */
      tag_names?: string[] | string;
    };
    UpdateWin: {
      win: components['schemas']['WinChanges'];
    };
    Error: {
      /**
       * @description One plain sentence
       * @example Tag not found
       */
      error: string;
      /**
       * @description For programs; it never changes
       * @example not_found
       */
      code: string;
      /**
       * @description Name it when you ask for help
       * @example 0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c
       */
      request_id: string;
    };
    PlanLimitError: {
      /**
       * @description One plain sentence
       * @example Tag not found
       */
      error: string;
      /**
       * @description For programs; it never changes
       * @example not_found
       */
      code: string;
      /**
       * @description Name it when you ask for help
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
    Fault: {
      /**
       * @description The field, as you spell it
       * @example tag.name
       */
      field: string;
      /**
       * @description For programs; it never changes
       * @example blank
       */
      code: string;
      /**
       * @description One plain sentence
       * @example tag.name must not be blank
       */
      message: string;
    };
    ValidationError: {
      /**
       * @description One plain sentence
       * @example Tag not found
       */
      error: string;
      /**
       * @description For programs; it never changes
       * @example not_found
       */
      code: string;
      /**
       * @description Name it when you ask for help
       * @example 0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c
       */
      request_id: string;
      /** @description One entry per fault, all faults at once */
      details: components['schemas']['Fault'][];
    };
  };
  responses: {
    /** @description The body is not JSON */
    BadRequest: {
      headers: {
        /** @description The id of the request, yours if you sent one */
        'X-Request-Id': string;
        /** @description How many requests a token has in a minute */
        'X-RateLimit-Limit'?: number;
        /** @description How many of them are left */
        'X-RateLimit-Remaining'?: number;
        /** @description When all are there again, in Unix seconds */
        'X-RateLimit-Reset'?: number;
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "The body is not valid JSON",
         *       "code": "invalid_json",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The token is missing or not valid */
    Unauthenticated: {
      headers: {
        /** @description The id of the request, yours if you sent one */
        'X-Request-Id': string;
        /** @description How many requests a token has in a minute */
        'X-RateLimit-Limit'?: number;
        /** @description How many of them are left */
        'X-RateLimit-Remaining'?: number;
        /** @description When all are there again, in Unix seconds */
        'X-RateLimit-Reset'?: number;
        /** @description The challenge of RFC 6750 */
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
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The plan's limit is reached */
    PlanLimitReached: {
      headers: {
        /** @description The id of the request, yours if you sent one */
        'X-Request-Id': string;
        /** @description How many requests a token has in a minute */
        'X-RateLimit-Limit'?: number;
        /** @description How many of them are left */
        'X-RateLimit-Remaining'?: number;
        /** @description When all are there again, in Unix seconds */
        'X-RateLimit-Reset'?: number;
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "Your plan is limited to 3 spaces",
         *       "code": "plan_limit_reached",
         *       "upgrade_url": "https://example.com/upgrade",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['PlanLimitError'];
      };
    };
    /** @description The token's scope is `read` */
    InsufficientScope: {
      headers: {
        /** @description The id of the request, yours if you sent one */
        'X-Request-Id': string;
        /** @description How many requests a token has in a minute */
        'X-RateLimit-Limit'?: number;
        /** @description How many of them are left */
        'X-RateLimit-Remaining'?: number;
        /** @description When all are there again, in Unix seconds */
        'X-RateLimit-Reset'?: number;
        /** @description The challenge of RFC 6750 */
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
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description You have nothing with this id */
    NotFound: {
      headers: {
        /** @description The id of the request, yours if you sent one */
        'X-Request-Id': string;
        /** @description How many requests a token has in a minute */
        'X-RateLimit-Limit'?: number;
        /** @description How many of them are left */
        'X-RateLimit-Remaining'?: number;
        /** @description When all are there again, in Unix seconds */
        'X-RateLimit-Reset'?: number;
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
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The body is larger than 1 MiB */
    BodyTooLarge: {
      headers: {
        /** @description The id of the request, yours if you sent one */
        'X-Request-Id': string;
        /** @description How many requests a token has in a minute */
        'X-RateLimit-Limit'?: number;
        /** @description How many of them are left */
        'X-RateLimit-Remaining'?: number;
        /** @description When all are there again, in Unix seconds */
        'X-RateLimit-Reset'?: number;
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "The body is too large",
         *       "code": "body_too_large",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The body has another type than `application/json` */
    UnsupportedMediaType: {
      headers: {
        /** @description The id of the request, yours if you sent one */
        'X-Request-Id': string;
        /** @description How many requests a token has in a minute */
        'X-RateLimit-Limit'?: number;
        /** @description How many of them are left */
        'X-RateLimit-Remaining'?: number;
        /** @description When all are there again, in Unix seconds */
        'X-RateLimit-Reset'?: number;
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "The body must be application/json",
         *       "code": "unsupported_media_type",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description Fields are not valid; all faults are told at once */
    ValidationFailed: {
      headers: {
        /** @description The id of the request, yours if you sent one */
        'X-Request-Id': string;
        /** @description How many requests a token has in a minute */
        'X-RateLimit-Limit'?: number;
        /** @description How many of them are left */
        'X-RateLimit-Remaining'?: number;
        /** @description When all are there again, in Unix seconds */
        'X-RateLimit-Reset'?: number;
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "The request has invalid fields",
         *       "code": "validation_failed",
         *       "details": [
         *         {
         *           "field": "tag.name",
         *           "code": "blank",
         *           "message": "tag.name must not be blank"
         *         }
         *       ],
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Too many requests within a minute */
    RateLimited: {
      headers: {
        /** @description The id of the request, yours if you sent one */
        'X-Request-Id': string;
        /** @description How many requests a token has in a minute */
        'X-RateLimit-Limit'?: number;
        /** @description How many of them are left */
        'X-RateLimit-Remaining'?: number;
        /** @description When all are there again, in Unix seconds */
        'X-RateLimit-Reset'?: number;
        /** @description Seconds to wait */
        'Retry-After': number;
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
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description A fault of the service */
    InternalError: {
      headers: {
        /** @description The id of the request, yours if you sent one */
        'X-Request-Id': string;
        /** @description How many requests a token has in a minute */
        'X-RateLimit-Limit'?: number;
        /** @description How many of them are left */
        'X-RateLimit-Remaining'?: number;
        /** @description When all are there again, in Unix seconds */
        'X-RateLimit-Reset'?: number;
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
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The database can't be reached; try again */
    Unavailable: {
      headers: {
        /** @description The id of the request, yours if you sent one */
        'X-Request-Id': string;
        /** @description How many requests a token has in a minute */
        'X-RateLimit-Limit'?: number;
        /** @description How many of them are left */
        'X-RateLimit-Remaining'?: number;
        /** @description When all are there again, in Unix seconds */
        'X-RateLimit-Reset'?: number;
        /** @description Seconds to wait */
        'Retry-After': number;
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "The service is temporarily unavailable",
         *       "code": "unavailable",
         *       "request_id": "0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c"
         *     }
         */
        'application/json': components['schemas']['Error'];
      };
    };
  };
  parameters: never;
  requestBodies: never;
  headers: never;
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
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Health'];
        };
      };
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
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Health'];
        };
      };
      503: components['responses']['Unavailable'];
    };
  };
  getMe: {
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
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Account'];
        };
      };
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
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          /** @description How many items all pages have */
          'X-Total-Count': number;
          /** @description The page that is shown */
          'X-Page': number;
          /** @description How many items a page has */
          'X-Per-Page': number;
          /** @description RFC 8288 links: first, prev, next, last */
          Link: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Token'][];
        };
      };
      401: components['responses']['Unauthenticated'];
      422: components['responses']['ValidationFailed'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateToken'];
      };
    };
    responses: {
      /** @description Created */
      201: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          /** @description Where the new resource is */
          Location: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['IssuedToken'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationFailed'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getToken: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Token'];
        };
      };
      401: components['responses']['Unauthenticated'];
      404: components['responses']['NotFound'];
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
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done */
      204: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['NotFound'];
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
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          /** @description How many items all pages have */
          'X-Total-Count': number;
          /** @description The page that is shown */
          'X-Page': number;
          /** @description How many items a page has */
          'X-Per-Page': number;
          /** @description RFC 8288 links: first, prev, next, last */
          Link: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Space'][];
        };
      };
      401: components['responses']['Unauthenticated'];
      422: components['responses']['ValidationFailed'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createSpace: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateSpace'];
      };
    };
    responses: {
      /** @description Created */
      201: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          /** @description Where the new resource is */
          Location: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Space'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      402: components['responses']['PlanLimitReached'];
      403: components['responses']['InsufficientScope'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationFailed'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getSpace: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Space'];
        };
      };
      401: components['responses']['Unauthenticated'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteSpace: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done */
      204: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateSpace: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateSpace'];
      };
    };
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Space'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationFailed'];
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
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          /** @description How many items all pages have */
          'X-Total-Count': number;
          /** @description The page that is shown */
          'X-Page': number;
          /** @description How many items a page has */
          'X-Per-Page': number;
          /** @description RFC 8288 links: first, prev, next, last */
          Link: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Tag'][];
        };
      };
      401: components['responses']['Unauthenticated'];
      422: components['responses']['ValidationFailed'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createTag: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TagBody'];
      };
    };
    responses: {
      /** @description Created */
      201: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          /** @description Where the new resource is */
          Location: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Tag'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationFailed'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getTag: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Tag'];
        };
      };
      401: components['responses']['Unauthenticated'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteTag: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done */
      204: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['NotFound'];
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
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TagBody'];
      };
    };
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Tag'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationFailed'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listWins: {
    parameters: {
      query?: {
        /** @description Which page, from 1. Out of range is clamped. */
        page?: number;
        /** @description How many items a page has, at most 100. Out of range is clamped. */
        per_page?: number;
        /** @description Only wins of this space */
        space_id?: number;
        /** @description Only wins with the tag of this name, in any case */
        tag?: string;
        /** @description Only wins of this day or later */
        since?: string;
        /** @description Only wins of this day or earlier */
        until?: string;
        /** @description Only wins whose body has all these words or parts of words, in any case; at most 10 */
        q?: string;
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
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          /** @description How many items all pages have */
          'X-Total-Count': number;
          /** @description The page that is shown */
          'X-Page': number;
          /** @description How many items a page has */
          'X-Per-Page': number;
          /** @description RFC 8288 links: first, prev, next, last */
          Link: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Win'][];
        };
      };
      401: components['responses']['Unauthenticated'];
      422: components['responses']['ValidationFailed'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createWin: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateWin'];
      };
    };
    responses: {
      /** @description Created */
      201: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          /** @description Where the new resource is */
          Location: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Win'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationFailed'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getWin: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Win'];
        };
      };
      401: components['responses']['Unauthenticated'];
      404: components['responses']['NotFound'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteWin: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done */
      204: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['NotFound'];
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
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateWin'];
      };
    };
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description The id of the request, yours if you sent one */
          'X-Request-Id': string;
          /** @description How many requests a token has in a minute */
          'X-RateLimit-Limit'?: number;
          /** @description How many of them are left */
          'X-RateLimit-Remaining'?: number;
          /** @description When all are there again, in Unix seconds */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Win'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['InsufficientScope'];
      404: components['responses']['NotFound'];
      413: components['responses']['BodyTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationFailed'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
}
