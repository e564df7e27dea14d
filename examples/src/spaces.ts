import type { Space } from 'wins-client';
import { wins } from './api.js';
import { copy } from './copy.js';
import { messageOf } from './messages.js';
import { find, make, notify } from './page.js';

/** The spaces, put into another order by drag and drop, at once, and put back if the service refuses. */

let dragged: number | undefined;

export const spacesInOrder = (): Space[] =>
  [...copy.spaces.values()].toSorted((a, b) => a.position - b.position || a.id - b.id);

export function showSpaces(): void {
  if (dragged !== undefined) return; // the page must not change below the pointer
  find('#spaces').replaceChildren(
    ...spacesInOrder().map(({ id, name, emoji, wins_count }) => {
      const item = make('li', { draggable: true }, `${emoji ?? ''} ${name} (${wins_count})`);
      item.addEventListener('dragstart', () => (dragged = id));
      item.addEventListener('dragend', () => (dragged = undefined));
      item.addEventListener('dragover', (event) => event.preventDefault());
      item.addEventListener('drop', (event) => {
        event.preventDefault();
        const moved = dragged;
        dragged = undefined;
        if (moved !== undefined && moved !== id) void move(moved, id);
      });
      return item;
    }),
  );
}

/** Puts a space in the place of another, which makes room. */
async function move(id: number, place: number): Promise<void> {
  const before = spacesInOrder();
  const ids = before.map((space) => space.id);
  const target = ids.indexOf(place);
  ids.splice(ids.indexOf(id), 1);
  ids.splice(target, 0, id);

  for (const [position, moved] of ids.entries()) copy.spaces.set(moved, { ...copy.spaces.get(moved)!, position });
  showSpaces();
  try {
    await wins.orderSpaces({ order: { space_ids: ids } });
  } catch (error) {
    for (const space of before) copy.spaces.set(space.id, space);
    showSpaces();
    notify(messageOf(error));
  }
}
