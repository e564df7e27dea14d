import { UsersRepository } from '../auth/users.repository.js';
import type { Caller } from '../common/caller.js';
import type { Sql } from '../database/sql.js';
import { PageQuery } from '../http/pagination.js';
import { SpacesRepository } from '../spaces/spaces.repository.js';
import { SpacesService } from '../spaces/spaces.service.js';
import { TagsRepository } from '../tags/tags.repository.js';
import { TagsService } from '../tags/tags.service.js';
import { WinQuery } from '../wins/dto/win-query.js';
import { WinsRepository } from '../wins/wins.repository.js';
import { WinsService } from '../wins/wins.service.js';
import { DEMO_SPACES, DEMO_WINS } from './wins.js';

const DAY = 24 * 60 * 60 * 1000;

/**
 * Fills an empty account with a few months of wins up to today, in three spaces and with about ten tags; all or nothing.
 *
 * @returns the number of wins created: 0 if the account already has a win, space or tag
 * @throws DatabaseError if the user's plan doesn't allow three spaces
 */
export function fillWithDemo(sql: Sql, userId: number): Promise<number> {
  const caller: Caller = { userId, tokenId: 0, scope: 'write', expiresAt: null };
  return sql.transaction(async (transaction) => {
    await new UsersRepository(transaction).lock(userId);
    const spaces = new SpacesService(new SpacesRepository(transaction));
    const tags = new TagsService(new TagsRepository(transaction));
    const wins = new WinsService(new WinsRepository(transaction));

    const lists = [
      await spaces.list(caller, new PageQuery()),
      await tags.list(caller, new PageQuery()),
      await wins.list(caller, new WinQuery()),
    ];
    if (lists.some(({ text }) => text !== '[]')) return 0;

    const ids = new Map<string, number>();
    for (const { key, ...space } of DEMO_SPACES) ids.set(key, (await spaces.create(caller, space)).id);
    const today = Date.now();
    for (const [daysAgo, space, body, tag_names] of DEMO_WINS) {
      const occurred_on = new Date(today - daysAgo * DAY).toISOString().slice(0, 10);
      await wins.create(caller, { body, space_id: ids.get(space)!, occurred_on, tag_names });
    }
    return DEMO_WINS.length;
  });
}
