import { escapeLike, jsonRow, jsonTime } from '../database/json.js';
import { jsonPage, jsonPageAfter, orderBy, type SortTerm } from '../database/pages.js';
import type { Value } from '../database/queries.js';
import { MAX_SEARCH_WORDS, wordsOf, type WinFilter, type WinSort } from './dto/win-query.js';

const SPACE_OF_WIN = `
  (select row_to_json(s) from (select id, name, emoji from spaces where user_id = $1 and id = item.space_id) s)`;

/** Each tag is looked up, behind a fence: with average numbers the planner would rather read all tags of the user. */
const TAGS_OF_WIN = `
  select tag_id as id, tag.name from win_tags cross join lateral (
    select name from tags where tags.user_id = $1 and tags.id = win_tags.tag_id offset 0
  ) tag
  where win_tags.user_id = $1 and win_tags.win_id = item.id`;

/** What clients see of the row `item`. `$1` is the user. @param tags selects id and name of its tags */
export const columns = (tags: string) => `
  item.id, item.body, item.occurred_on, ${SPACE_OF_WIN} as space,
  array_to_json(array(select row_to_json(t) from (${tags}) t order by t.name)) as tags,
  ${jsonTime('item.created_at')} as created_at, ${jsonTime('item.updated_at')} as updated_at`;

export const COLUMNS = columns(TAGS_OF_WIN);

/** What wins are filtered by: each may be null, the arrays of names and words empty. */
const GIVEN = '$4::date, $5::date, $6::bigint[], $7::text[], $8::text[], $9::text[], $10::boolean';

const SPACE = '($6::bigint[])[1]';
const ANY_SPACE = '($6::bigint[] is null or wins.space_id = any ($6::bigint[]))';
const TAG = '(select id from tags where user_id = $1 and fold_case(name) = (select fold_case(($7::text[])[1])))';

const SINCE = `>= coalesce($4::date, '-infinity')`;
const UNTIL = `<= coalesce($5::date, 'infinity')`;

/**
 * The days that are asked for. After a cursor, one end of them is left out: the cursor is beyond it, and PostgreSQL would
 * begin to read the index there instead of at the cursor.
 */
function ofDay(table: string, afterIn?: WinSort): string {
  const ends = afterIn === '-occurred_on' ? [SINCE] : afterIn === 'occurred_on' ? [UNTIL] : [SINCE, UNTIL];
  return ends.map((end) => `${table}.occurred_on ${end}`).join(' and ');
}

/** What is folded stands in a `select` of its own, which runs once, not for each row. */
const indexedWords = (count: number) =>
  Array.from({ length: count }, (_, n) => `folded_body like (select fold_case(($8::text[])[${n + 1}]))`).join(' and ');

const OTHER_WORDS = `wins.folded_body like all ((select array(select fold_case(word) from unnest($9::text[]) word))::text[])`;

/** Names of tags, folded, each once. */
const FOLDED_TAGS = '(select array(select distinct fold_case(name) from unnest($7::text[]) name))::text[]';

/** That a win has all the tags, and has any tag at all or none. */
const LABELS = `
  ($10::boolean is null or $10 <> exists (select from win_tags any_tag where any_tag.user_id = $1 and any_tag.win_id = wins.id))
  and (cardinality($7::text[]) = 0 or cardinality(${FOLDED_TAGS}) = (
    select count(*) from win_tags all_tags where all_tags.user_id = $1 and all_tags.win_id = wins.id and all_tags.tag_id = any (
      (select array(select id from tags where user_id = $1 and fold_case(name) = any (${FOLDED_TAGS})))::bigint[]
    )
  ))`;

/** The link of a tag and its win know the same day. */
const LINK = `
  wins.user_id = $1 and win_tags.user_id = $1
  and win_tags.win_id = wins.id and win_tags.occurred_on = wins.occurred_on`;

/** How many there are, by the counters. */
const countOf = (table: string, condition: string) =>
  `select coalesce(sum(wins_count), 0) from ${table} where user_id = $1${condition}`;

/** A way to the wins that a filter asks for. */
export interface Way {
  walked?: 'wins' | 'win_tags';
  /** The tables, of which one is called as `walked` says, and a condition. */
  from: string;
  /** The SQL of how many there are, and the condition under which it is right. */
  counter?: string;
  unless?: string;
  /** What each win is looked at for, where it is walked through `from` from a cursor on. */
  check?: string;
  /** Whether it never asks for days: many wins are read faster in the order of the table than in that of days. */
  anyDay?: boolean;
}

const IN_ALL = 'wins where wins.user_id = $1';
const IN_SPACE = `${IN_ALL} and wins.space_id = ${SPACE}`;
const BY_TAG = `win_tags where win_tags.user_id = $1 and win_tags.tag_id = ${TAG}`;
const ROWS_OF_TAG = `(
  select wins.* from win_tags join wins on ${LINK} where win_tags.user_id = $1 and win_tags.tag_id = ${TAG} offset 0
) wins where true`;

/**
 * The ways to wins. Each is an index that begins with the user, and one the planner can't swap for another: it may have to
 * choose a plan for all users at once, and with average numbers it chooses badly for the largest.
 *
 * - Words that the search index knows: that index alone, behind a fence (`offset 0`); what it finds is filtered by the rest.
 * - A tag: its links in order, which know the day; the rest is looked up win by win.
 * - Else the wins in order, in a space or all of them.
 *
 * Where counters know how many there are, nothing is counted. Where there are words, all matches are found once, counted
 * and sorted.
 *
 * @param labels a further condition on the tags, beginning with `and`, or nothing
 */
function waysWith(labels: string) {
  const counted = (way: Way): Way =>
    labels === '' ? way : { ...way, counter: 'select count(*) from matches', unless: 'true' };
  return {
    all: counted({ from: `${IN_ALL} ${labels}`, counter: countOf('spaces', '') }),
    /** For orders other than by day: a condition on days would have the planner expect too few wins to walk an index. */
    allOfAnyDay: { from: IN_ALL, anyDay: true, counter: countOf('spaces', ''), unless: 'true' },
    space: counted({ from: `${IN_SPACE} ${labels}`, counter: countOf('spaces', ` and id = ${SPACE}`) }),
    spaces: counted({
      from: `${IN_ALL} and wins.space_id = any ($6::bigint[]) ${labels}`,
      counter: countOf('spaces', ' and id = any ($6::bigint[])'),
    }),
    tag: counted({
      walked: 'win_tags',
      from: `${BY_TAG} and (($6::bigint[] is null ${labels && 'and false'}) or (select ${ANY_SPACE} ${labels} from wins where ${LINK}))`,
      counter: countOf('tags', ' and fold_case(name) = (select fold_case(($7::text[])[1]))'),
      unless: '$4 is null and $5 is null and $6 is null',
    }),
    scan: { from: `${IN_ALL} and ${ANY_SPACE} and ${OTHER_WORDS} ${labels}`, anyDay: true },
    scanOfDays: { from: `${IN_ALL} and ${ANY_SPACE} and ${OTHER_WORDS} ${labels}` },
    scanOfSpace: { from: `${IN_SPACE} and ${OTHER_WORDS} ${labels}`, anyDay: true },
    scanOfSpaceAndDays: { from: `${IN_SPACE} and ${OTHER_WORDS} ${labels}` },
    scanOfTag: {
      walked: 'win_tags',
      from: `${BY_TAG} and (select ${ANY_SPACE} and ${OTHER_WORDS} ${labels} from wins where ${LINK})`,
    },
    /** With all columns of the wins, for orders and groups that links don't know. */
    rows: { from: `${IN_ALL} and ${ANY_SPACE} and ${OTHER_WORDS} ${labels}` },
    rowsOfTag: { from: `${ROWS_OF_TAG} and ${ANY_SPACE} and ${OTHER_WORDS} ${labels}` },
    /** By the search index, for one word and for more: each is a condition of its own. */
    byWords: Array.from({ length: MAX_SEARCH_WORDS }, (_, n) => ({
      from: `(select * from wins where user_id = $1 and ${indexedWords(n + 1)} offset 0) wins
        where ${ANY_SPACE} and ${OTHER_WORDS}
        and (($7::text[])[1] is null or (select true from win_tags where ${LINK} and win_tags.tag_id = ${TAG})) ${labels}`,
    })),
  } satisfies Record<string, Way | Way[]>;
}

const WAYS = waysWith('');
const WAYS_OF_LABELS = waysWith(`and ${LABELS}`);

/** What the search index knows a word by: three letters or digits in a row. */
const INDEXED = /[a-z\d]{3}/i;

const isIndexed = (word: string) => INDEXED.test(word);

const patternOf = (word: string) => `%${escapeLike(word)}%`;

/** The values of `$4` and on. @param indexed words for the search index @param others words that are looked for in each win */
const valuesOf = (
  { since, until, space_id, tag = [], untagged }: WinFilter,
  indexed: string[],
  others: string[],
): Value[] => [
  since ?? null,
  until ?? null,
  space_id ?? null,
  tag,
  indexed.map(patternOf),
  others.map(patternOf),
  untagged === undefined ? null : untagged === 'true',
];

/** The wins that a filter asks for: the way to them, and the values of `$4` and on. */
export interface Selection {
  way: Way;
  values: Value[];
  /** Whether counters know how many there are. */
  isCounted: boolean;
}

/** @param needsRows whether to have all columns of the wins, unless there is no filter */
export function select(filter: WinFilter, needsRows = false): Selection {
  const { space_id, tag = [], since, until, untagged } = filter;
  const words = wordsOf(filter.q);
  const indexed = words.filter(isIndexed);
  const others = words.filter((word) => !isIndexed(word));
  const ways = tag.length > 1 || untagged !== undefined ? WAYS_OF_LABELS : WAYS;
  const isAnyDay = since === undefined && until === undefined;
  const isBare = isAnyDay && words.length === 0 && untagged === undefined;
  const isUnfiltered = isBare && space_id === undefined && tag.length === 0;
  const wayOf = (): Way => {
    if (indexed.length > 0) return ways.byWords[indexed.length - 1]!;
    if (needsRows && isUnfiltered) return ways.allOfAnyDay;
    if (needsRows) return tag.length > 0 ? ways.rowsOfTag : ways.rows;
    if (tag.length > 0) return others.length > 0 ? ways.scanOfTag : ways.tag;
    const isOneSpace = space_id?.length === 1;
    if (others.length === 0) return isOneSpace ? ways.space : space_id === undefined ? ways.all : ways.spaces;
    if (isOneSpace) return isAnyDay ? ways.scanOfSpace : ways.scanOfSpaceAndDays;
    return isAnyDay ? ways.scan : ways.scanOfDays;
  };
  return {
    way: wayOf(),
    values: valuesOf(filter, indexed, others),
    isCounted: needsRows ? isUnfiltered : isBare && (space_id === undefined ? tag.length < 2 : tag.length === 0),
  };
}

/** How many wins a page from cursor to cursor looks through. */
export const LOOKED_THROUGH = 10_000;

/** What lists are ordered by. */
const TERMS: Record<WinSort, [column: string, isDescending: boolean]> = {
  '-occurred_on': ['occurred_on', true],
  occurred_on: ['occurred_on', false],
  '-created_at': ['created_at', true],
  '-updated_at': ['updated_at', true],
};

/** Whether a list in this order is walked on an index of days, which all ways have. */
const isByDay = (sort: WinSort) => TERMS[sort][0] === 'occurred_on';

/** @returns the wins that a list in this order is of */
export const selectSorted = (filter: WinFilter, sort: WinSort): Selection => select(filter, !isByDay(sort));

/** The order of a list, total. */
function termsOf({ walked = 'wins' }: Way, sort: WinSort): SortTerm[] {
  const [column, isDescending] = TERMS[sort];
  const id = walked === 'win_tags' ? 'win_tags.win_id' : 'wins.id';
  return [
    { column, source: `${walked}.${column}`, type: isByDay(sort) ? 'date' : 'timestamptz', isDescending },
    { column: 'id', source: id, type: 'bigint', isDescending },
  ];
}

/**
 * A way as part of a statement: what identifies and orders its rows, and where they are.
 *
 * @param isRest whether it begins after a cursor
 */
function sourceOf(way: Way, sort: WinSort, isRest = false) {
  const { walked = 'wins', from, check, anyDay } = way;
  const terms = termsOf(way, sort);
  return {
    given: GIVEN,
    keys: terms.map(({ column, source }) => `${source} as ${column}`).join(', '),
    from: anyDay ? from : `${from} and ${ofDay(walked, isRest ? sort : undefined)}`,
    looked: check === undefined ? undefined : { as: walked, check, limit: LOOKED_THROUGH },
    columns: `${COLUMNS} from wins item where item.user_id = $1 and item.id = match.id`,
    terms,
  };
}

/** Calls `make` once for each way and name, so that the text of a statement is built once. */
export function remembered<Made>(make: (way: Way, name: string) => Made): (way: Way, name: string) => Made {
  const made = new Map<Way, Map<string, Made>>();
  return (way, name) => {
    let ofWay = made.get(way);
    if (ofWay === undefined) made.set(way, (ofWay = new Map()));
    let result = ofWay.get(name);
    if (result === undefined) ofWay.set(name, (result = make(way, name)));
    return result;
  };
}

/** @returns the SQL of a page of wins: one text, and so one prepared statement, for each way and sort */
export const pageOf = remembered((way, sort) => {
  const { counter, unless = '$4 is null and $5 is null' } = way;
  const { terms, ...source } = sourceOf(way, sort as WinSort);
  return jsonPage({
    ...source,
    order: orderBy(terms),
    total: counter && `case when ${unless} then (${counter}) else (select count(*) from matches) end`,
    isRevised: true,
    isUnordered: counter === undefined,
  });
});

/**
 * The ways from a cursor on where no index yields in order what a filter asks for: the next `LOOKED_THROUGH` wins of the
 * list are looked at, one by one. What many wins match fills a page from the first of them.
 */
function looksWith(labels: string) {
  const check = `${ANY_SPACE} and ${OTHER_WORDS} ${labels}`;
  return {
    all: { from: IN_ALL, check },
    space: { from: IN_SPACE, check },
    tag: { walked: 'win_tags', from: BY_TAG, check: `(select ${check} from wins where ${LINK})` },
  } satisfies Record<string, Way>;
}

const LOOKS = looksWith('');
const LOOKS_OF_LABELS = looksWith(`and ${LABELS}`);

/** Which wins to look at from a cursor on. */
export interface Look extends Pick<Selection, 'way' | 'values'> {
  /** Whether the search index finds the rest: then a page that is not full comes from there instead. */
  isIndexed: boolean;
}

/** @returns `undefined` where the selection of the filter is as good: an index yields it in order, or none is in this order */
export function look(filter: WinFilter, sort: WinSort): Look | undefined {
  const { space_id = [], tag = [], untagged } = filter;
  const words = wordsOf(filter.q);
  const hasIndex = words.some(isIndexed);
  const isInOrder = words.length === 0 && untagged === undefined && space_id.length + tag.length < 2;
  if (isInOrder || !(hasIndex || isByDay(sort))) return undefined;
  const walksTag = tag.length > 0 && isByDay(sort);
  const ways = untagged !== undefined || tag.length > (walksTag ? 1 : 0) ? LOOKS_OF_LABELS : LOOKS;
  const way = walksTag ? ways.tag : space_id.length === 1 && isByDay(sort) ? ways.space : ways.all;
  return { way, values: valuesOf(filter, [], words), isIndexed: hasIndex };
}

/** @returns the SQL of a page of wins that begins after a cursor */
export const pageAfterOf = remembered((way, sort) =>
  jsonPageAfter(sourceOf(way, sort as WinSort), sourceOf(way, sort as WinSort, true)),
);

/**
 * The matches of a way, for the `with` of a statement.
 *
 * @param keys what is selected of them; if omitted, `id` and `occurred_on`
 */
export function matchesOf(way: Way, keys?: string): string {
  const { given, from, ...source } = sourceOf(way, '-occurred_on');
  return `given as (select ${given}), matches as (select ${keys ?? source.keys} from ${from})`;
}

/** SQL of one resource. */
export const WIN = jsonRow(COLUMNS);
