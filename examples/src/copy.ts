import { WinsError, type Space, type Tag, type Win } from 'wins-client';
import { wins } from './api.js';

/** A copy of everything that the user has. */
export const copy = {
  spaces: new Map<number, Space>(),
  tags: new Map<number, Tag>(),
  wins: new Map<number, Win>(),
};

let since: string | undefined;

/** Brings the copy up to date. While nothing changes, this is one request, which the browser gets a 304 for. */
export async function catchUp(): Promise<void> {
  try {
    for await (const { spaces, tags, wins: changed, deleted, next } of wins.changes({ since })) {
      for (const space of spaces) copy.spaces.set(space.id, space);
      for (const tag of tags) copy.tags.set(tag.id, tag);
      for (const win of changed) copy.wins.set(win.id, win);
      for (const id of deleted.space_ids) copy.spaces.delete(id);
      for (const id of deleted.tag_ids) copy.tags.delete(id);
      for (const id of deleted.win_ids) copy.wins.delete(id);
      for (const [id, win] of copy.wins) {
        if (deleted.space_ids.includes(win.space.id)) copy.wins.delete(id);
        else if (win.tags.some((tag) => deleted.tag_ids.includes(tag.id))) {
          copy.wins.set(id, { ...win, tags: win.tags.filter((tag) => !deleted.tag_ids.includes(tag.id)) });
        }
      }
      since = next;
    }
  } catch (error) {
    if (!(error instanceof WinsError && error.code === 'cursor_expired')) throw error;
    // Away for longer than the service remembers what was deleted.
    since = undefined;
    for (const rows of Object.values(copy)) rows.clear();
    await catchUp();
  }
}
