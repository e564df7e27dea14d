import type { Person } from '../../harness/factories.js';
import type { Service } from '../../harness/processes.js';

/** What an answer was, by its status, and what was asked that got one of another kind than 2xx. */
export interface Seen {
  statuses: Set<number>;
  /** Requests by what they were answered with, such as `GET /api/v1/tags 503`. */
  refused: Set<string>;
}

/** Reads and writes as a user does, each kind of request on a connection of its own, for as long as work goes on. */
export async function loadWhile(server: Service, { token }: Person, work: () => Promise<unknown>): Promise<Seen> {
  const seen: Seen = { statuses: new Set(), refused: new Set() };
  const over = new AbortController();
  const call = async (method: string, path: string, json?: unknown) => {
    const { status, body } = await server.call(method, `/api/v1/${path}`, { token, json });
    seen.statuses.add(status);
    if (status >= 300) seen.refused.add(`${method} /api/v1/${path.replace(/\?.*/, '')} ${status}`);
    return body;
  };
  const space = await call('POST', 'spaces', { space: { name: 'Load' } });
  const record = (n: number) =>
    call('POST', 'wins', { win: { body: 'x', space_id: space.id, tag_names: [`w${n % 50}`] } });
  const rounds = [
    async (n: number) => {
      const win = await record(n);
      if (win?.id !== undefined)
        await call('PATCH', `wins/${win.id}`, { win: { body: 'y', tag_names: [`v${n % 50}`] } });
    },
    async (n: number) => {
      const tag = await call('POST', 'tags', { tag: { name: `tag ${n}` } });
      if (tag?.id !== undefined) await call('DELETE', `tags/${tag.id}`);
    },
    () => call('GET', 'wins?per_page=20'),
    () => call('GET', 'wins?q=xyz'),
    () => call('GET', 'tags'),
    () => call('GET', 'me'),
  ];
  const load = rounds.map(async (round) => {
    for (let n = 0; !over.signal.aborted; n++) await round(n);
  });
  try {
    await work();
  } finally {
    over.abort();
    await Promise.all(load);
  }
  return seen;
}
