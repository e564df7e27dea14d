/** How many of each a user may have, whatever the plan. Expired tokens don't count. */
export const LIMITS = { spaces: 1_000, tags: 10_000, tokens: 100 } as const;

/** In code points. */
export const MAX_TOKEN_NAME = 100;
