import type { Page } from '../common/json.js';
import { Cursor, IntegerQuery } from './fields.js';

export const DEFAULT_PER_PAGE = 25;
export const MAX_PER_PAGE = 100;

/** No list is longer; it keeps the offset within what PostgreSQL counts with. */
const MAX_PAGE = 2_147_483_647;

export const PageNumber = () =>
  IntegerQuery({ min: 1, max: MAX_PAGE, default: 1, description: 'Which page, from 1. Out of range is clamped.' });

export const PerPage = () =>
  IntegerQuery({
    min: 1,
    max: MAX_PER_PAGE,
    default: DEFAULT_PER_PAGE,
    description: `How many items a page has, at most ${MAX_PER_PAGE}. Out of range is clamped.`,
  });

/** The query of every list. A whole number out of range is clamped, anything else rejected. */
export class PageQuery {
  @PageNumber()
  page = 1;

  @PerPage()
  per_page = DEFAULT_PER_PAGE;
}

/** Bytes of a `Link`: proxies read all headers of a response into 4 or 8 KiB. */
const MAX_LINK = 2_000;

/**
 * RFC 8288 `Link` to the neighbours of a page. Where not all fit, the ends of the list are omitted first, then the page
 * before: whoever follows `next` gets through the list in any case but that of a filter that is too long for even one.
 *
 * @param url of the list, without its query
 * @param parameters of the query that are to be kept
 */
export function pageLinks(page: Page<unknown>, url: string, parameters: [name: string, value: string][]): string {
  const link = (rel: string, number: number): [rel: string, link: string] => {
    const query = new URLSearchParams(parameters);
    query.set('page', String(number));
    query.set('per_page', String(page.perPage));
    return [rel, `<${url}?${query}>; rel="${rel}"`];
  };
  const links = new Map([
    link('first', 1),
    ...(page.page > 1 ? [link('prev', Math.min(page.page - 1, page.lastPage))] : []),
    ...(page.page < page.lastPage ? [link('next', page.page + 1)] : []),
    link('last', page.lastPage),
  ]);
  const text = () => [...links.values()].join(', ');
  for (const rel of ['last', 'first', 'prev', 'next']) if (text().length > MAX_LINK) links.delete(rel);
  return text();
}

/** The query of a list that can also be read from cursor to cursor. */
export class CursorQuery extends PageQuery {
  @Cursor()
  after?: string;
}

/** RFC 8288 `Link` to the next page of a list that is read from cursor to cursor; empty if it would be too long. */
export function cursorLink(next: string, url: string, parameters: [name: string, value: string][]): string {
  const query = new URLSearchParams(parameters);
  query.set('after', next);
  const link = `<${url}?${query}>; rel="next"`;
  return link.length > MAX_LINK ? '' : link;
}
