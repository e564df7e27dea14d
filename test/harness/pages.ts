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
