import type { Owner } from '../../src/database/sql.js';

/** A user as statements know one, outside any transaction. */
export const owner = (userId: number): Owner => ({ userId });
