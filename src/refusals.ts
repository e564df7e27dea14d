import { AUTH_REFUSALS } from './auth/auth.errors.js';
import type { Refusals } from './database/errors.js';
import { SPACES_REFUSALS } from './spaces/spaces.errors.js';
import { TAGS_REFUSALS } from './tags/tags.errors.js';
import { WINS_REFUSALS } from './wins/wins.errors.js';

/** Every module's refusals, for the error filter and the command line. */
export const ALL_REFUSALS: Refusals = { ...AUTH_REFUSALS, ...SPACES_REFUSALS, ...TAGS_REFUSALS, ...WINS_REFUSALS };
