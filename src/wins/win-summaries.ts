import { arrayOfRows } from '../database/json.js';
import { REVISION } from '../database/revision.js';
import type { Value } from '../database/queries.js';
import type { Group, WinFilter } from './dto/win-query.js';
import { matchesOf, remembered, select, type Way } from './win-lists.js';

/** How wins are counted. `$2` is how many counts there are at most, `$3` how a period is written. */

const MAX_COUNTS = 10_000;

const FORMATS: Partial<Record<Group, string>> = {
  day: 'YYYY-MM-DD',
  week: 'IYYY-"W"IW',
  month: 'YYYY-MM',
  year: 'YYYY',
};

/** The rows as a JSON array, and the user's revision. */
const revised = (rows: string) => arrayOfRows(rows, `(${REVISION}) as revision,`);

const PERIODS = (way: Way) => `
  with ${matchesOf(way)},
  day as (select occurred_on, count(*) as wins_count from matches group by 1)
  ${revised(`
    select to_char(occurred_on, $3) as key, sum(wins_count)::integer as wins_count from day group by 1
    order by 1 desc limit $2`)}`;

/** @param counted has `id`, `name` and `wins_count` */
const largestFirst = (counted: string) =>
  revised(`
    select (select row_to_json(k) from (select id, name) k) as key, wins_count::integer as wins_count
    from ${counted} counted where wins_count > 0 order by wins_count desc, name, id limit $2`);

const SPACES = (way: Way) => `
  with ${matchesOf(way, 'wins.space_id')}, unused as (select $3::text),
  many as (select space_id, count(*) as wins_count from matches group by 1)
  ${largestFirst('(select id, name, many.wins_count from many join spaces on user_id = $1 and id = space_id)')}`;

const TAGS = (way: Way) => `
  with ${matchesOf(way)}, unused as (select $3::text),
  many as (
    select tag_id, count(*) as wins_count
    from matches join win_tags label on label.user_id = $1 and label.win_id = matches.id group by 1
  )
  ${largestFirst('(select id, name, many.wins_count from many join tags on user_id = $1 and id = tag_id)')}`;

/** By the counters, where nothing is filtered. */
const ofAll = (table: string) => largestFirst(`(select id, name, wins_count from ${table} where user_id = $1)`);

const OF_ALL: Partial<Record<Group, string>> = { space: ofAll('spaces'), tag: ofAll('tags') };

const textOf = remembered((way, by) => (by === 'space' ? SPACES(way) : by === 'tag' ? TAGS(way) : PERIODS(way)));

/** @returns the statement that counts the wins of a filter, its values from `$2` on, and whether counters know the result */
export function summaryOf(filter: WinFilter, by: Group): { text: string; values: Value[]; isCounted: boolean } {
  const ofAllWins = Object.values(filter).every((value) => value === undefined) && OF_ALL[by];
  if (ofAllWins) return { text: ofAllWins, values: [MAX_COUNTS], isCounted: true };
  const { way, values } = select(filter, by === 'space');
  return { text: textOf(way, by), values: [MAX_COUNTS, FORMATS[by] ?? null, ...values], isCounted: false };
}
