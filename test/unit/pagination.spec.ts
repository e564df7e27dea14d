import { offsetOf } from '../../src/database/pages.js';
import { Page } from '../../src/common/json.js';
import { PageQuery, pageLinks } from '../../src/http/pagination.js';

const page = (total: number, number: number, perPage = 10) => new Page<never>('[]', total, number, perPage);

describe('pageLinks', () => {
  it('names only the one page of an empty list', () => {
    expect(pageLinks(page(0, 1), '/wins', [])).toBe(
      '</wins?page=1&per_page=10>; rel="first", </wins?page=1&per_page=10>; rel="last"',
    );
  });

  it('leads back into the list from past its end', () => {
    expect(pageLinks(page(25, 9), '/wins', [])).toContain('</wins?page=3&per_page=10>; rel="prev"');
  });

  it('keeps the rest of the query, escaped so that it can’t end the link', () => {
    const links = pageLinks(page(0, 1), 'https://api.example/wins', [
      ['q', '>, "><x'],
      ['page', '7'],
    ]);
    expect(links).toContain('<https://api.example/wins?q=%3E%2C+%22%3E%3Cx&page=1&per_page=10>; rel="first"');
  });

  it.each([
    ['x'.repeat(400), ['first', 'prev', 'next', 'last']],
    ['x'.repeat(600), ['first', 'prev', 'next']],
    ['x'.repeat(900), ['prev', 'next']],
    ['x'.repeat(1_800), ['next']],
    ['x'.repeat(2_000), []],
  ])('leaves out what makes it too long, the next page last (%#)', (q, rels) => {
    const links = pageLinks(page(100, 5), '/wins', [['q', q]]);
    expect([...links.matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel)).toEqual(rels);
    expect(links.length).toBeLessThanOrEqual(2_000);
  });
});

describe('PageQuery', () => {
  it('counts its offset in whole numbers up to the last page there can be', () => {
    const query = Object.assign(new PageQuery(), { page: 2_147_483_647, per_page: 100 });
    expect(offsetOf(query)).toBe(214_748_364_600);
  });
});
