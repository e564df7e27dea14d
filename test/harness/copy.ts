import type { Changes } from '../../src/changes/dto/changes.js';
import type { Space } from '../../src/spaces/dto/space.js';
import type { Tag } from '../../src/tags/dto/tag.js';
import type { Win } from '../../src/wins/dto/win.js';
import type { Client } from './client.js';
import { walk } from './pages.js';

const CHANGES = '/api/v1/changes';

const byId = <Item extends { id: number }>(items: Iterable<Item>) => [...items].toSorted((a, b) => a.id - b.id);

/** What a client keeps of a user's spaces, tags and wins, and how it keeps up. */
export class Copy {
  readonly spaces = new Map<number, Space>();
  readonly tags = new Map<number, Tag>();
  readonly wins = new Map<number, Win>();
  since?: string;
  /** How many pages it has read. */
  pages = 0;

  /** Reads all changes that there are. @param meanwhile runs after each page */
  async sync(api: Client, limit = 100, meanwhile?: () => Promise<unknown>): Promise<void> {
    for (let hasMore = true; hasMore;) {
      const query = `limit=${limit}${this.since === undefined ? '' : `&since=${this.since}`}`;
      const answer = await api.get<Changes>(`${CHANGES}?${query}`);
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
      this.apply(answer.body);
      hasMore = answer.body.has_more;
      this.pages++;
      await meanwhile?.();
    }
  }

  /** What the document says that a client has to do. */
  apply({ spaces, tags, wins, deleted, next }: Changes): void {
    for (const space of spaces) this.spaces.set(space.id, space);
    for (const tag of tags) this.tags.set(tag.id, tag);
    for (const win of wins) this.wins.set(win.id, win);
    const [noSpaces, noTags] = [new Set(deleted.space_ids), new Set(deleted.tag_ids)];
    for (const id of noSpaces) this.spaces.delete(id);
    for (const id of noTags) this.tags.delete(id);
    for (const id of deleted.win_ids) this.wins.delete(id);
    for (const win of this.wins.values()) {
      if (noSpaces.has(win.space.id)) this.wins.delete(win.id);
      else if (win.tags.some(({ id }) => noTags.has(id)))
        this.wins.set(win.id, { ...win, tags: win.tags.filter(({ id }) => !noTags.has(id)) });
    }
    this.since = next;
  }

  /** Everything, in a form to compare. */
  get text(): string {
    return JSON.stringify([byId(this.spaces.values()), byId(this.tags.values()), byId(this.wins.values())]);
  }
}

/** The same of the lists of the API. */
export async function textOfLists(api: Client): Promise<string> {
  const all = async (path: string) => byId(await walk<{ id: number }>(api, `/api/v1/${path}?per_page=100`));
  return JSON.stringify([await all('spaces'), await all('tags'), await all('wins')]);
}
