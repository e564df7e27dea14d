import type { Answer, Client } from './client.js';

/** The `Link` header of a list, by relation. */
export function linksOf(answer: Answer): Record<string, string> {
  const links = answer.headers.get('link')!.matchAll(/<([^>]*)>; rel="(\w+)"/g);
  return Object.fromEntries([...links].map(([, url, relation]) => [relation, url]));
}

/** The numbers that a list says of itself. */
export const countsOf = ({ headers }: Answer) =>
  ['x-total-count', 'x-page', 'x-per-page'].map((name) => Number(headers.get(name)));

/** All items of a list, from the first page on by following `next`. */
export async function walk<T>(client: Client, path: string): Promise<T[]> {
  const items: T[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const answer: Answer<T[]> = await client.get<T[]>(next);
    items.push(...answer.body);
    next = linksOf(answer).next;
  }
  return items;
}

/**
 * All items of a list, from cursor to cursor; each page has to say where the next one is, and nothing of a total.
 *
 * @param path with its query
 * @param meanwhile runs after each page, which it is given
 */
export async function walkByCursor<T>(
  client: Client,
  path: string,
  meanwhile?: (page: number, items: T[]) => unknown,
): Promise<T[]> {
  const items: T[] = [];
  let after: string | null = '';
  for (let page = 1; after !== null; page++) {
    const answer: Answer<T[]> = await client.get<T[]>(`${path}&after=${after}`);
    expect([path, answer.status]).toEqual([path, 200]);
    expect([answer.headers.get('x-total-count'), answer.headers.get('x-page')]).toEqual([null, null]);
    items.push(...answer.body);
    after = answer.headers.get('x-next-cursor');
    const link = answer.headers.get('link');
    if (after === null) expect(link).toBeNull();
    else expect(link).toContain(`after=${after}`);
    await meanwhile?.(page, answer.body);
  }
  return items;
}
