import { Injectable } from '@nestjs/common';
import { Created, type Json, type Page } from '../common/json.js';
import { escapeLike, jsonRow, jsonTime, type JsonRow } from '../database/json.js';
import { jsonPage } from '../database/pages.js';
import type { Value } from '../database/queries.js';
import { RAISE_REVISION, whileCurrent } from '../database/revision.js';
import { Sql, type Owner } from '../database/sql.js';
import { MAX_SEARCH_WORDS, type WinQuery } from './dto/win-query.js';
import type { Win, WinChanges, WinInput } from './dto/win.js';

const SPACE_OF_WIN = `
  (select row_to_json(s) from (select id, name, emoji from spaces where user_id = $1 and id = item.space_id) s)`;

/** Each tag is looked up, behind a fence: with average numbers the planner would rather read all tags of the user. */
const TAGS_OF_WIN = `
  select tag_id as id, tag.name from win_tags cross join lateral (
    select name from tags where tags.user_id = $1 and tags.id = win_tags.tag_id offset 0
  ) tag
  where win_tags.user_id = $1 and win_tags.win_id = item.id`;

/** `$1` is the user. @param tags selects id and name of the tags of the row `item` */
const columns = (tags: string) => `
  item.id, item.body, item.occurred_on, ${SPACE_OF_WIN} as space,
  array_to_json(array(select row_to_json(t) from (${tags}) t order by t.name)) as tags,
  ${jsonTime('item.created_at')} as created_at, ${jsonTime('item.updated_at')} as updated_at`;

const COLUMNS = columns(TAGS_OF_WIN);

/**
 * The tags with the given names, created if missing: the first spelling wins, and no race creates two.
 *
 * @param names the parameter with the names @param owner a row with `user_id` and `revision`; without one, no tag is created
 */
const tagsOf = (names: string, owner: string) => `
  wanted as (
    select distinct on (fold_case(name)) name from unnest(${names}::text[]) with ordinality as given (name, place)
    order by fold_case(name), place
  ),
  tagged as (
    insert into tags (user_id, name, revision) select owner.user_id, wanted.name, owner.revision from wanted, ${owner} owner
    on conflict (user_id, fold_case(name)) do update set name = tags.name
    returning id, name
  )`;

@Injectable()
export class WinsRepository {
  constructor(private readonly sql: Sql) {}

  /** Newest day first, then newest id. */
  list(owner: Owner, query: WinQuery): Promise<Page<Win>> {
    const { text, values, isCounted } = listOf(query);
    const shared = isCounted ? this.sql.sharedLong(owner) : this.sql.heavy(owner); // the others take long to count
    return this.sql.page(text, owner, query, values, shared);
  }

  find(owner: Owner, id: number): Promise<Json<Win> | undefined> {
    const text = `select ${jsonRow(COLUMNS)} as json from wins item where user_id = $1 and id = $2`;
    return this.sql.shared(owner).json(text, [owner.userId, id]);
  }

  /** Changes one only if it still is what the client saw, as `whileCurrent()` does. */
  whileCurrent<Result>(
    owner: Owner,
    id: number,
    ifMatch: string | undefined,
    write: (owner: Owner) => Promise<Result>,
  ): Promise<Result> {
    return whileCurrent(this.sql, owner, ifMatch, (within) => this.find(within, id), write);
  }

  /**
   * Records a win, its tags and their links in one statement.
   *
   * @returns `undefined` if the user has no such space
   */
  async insert(owner: Owner, input: WinInput): Promise<Created<Win> | undefined> {
    const text = `
      with writer as (${RAISE_REVISION}),
      item as (
        insert into wins (user_id, space_id, body, occurred_on, revision)
        select $1, spaces.id, $3, coalesce($4::date, (now() at time zone 'UTC')::date), writer.revision
        from writer join spaces on spaces.user_id = $1 and spaces.id = $2
        returning *
      ),
      ${tagsOf('$5', 'item')},
      linked as (
        insert into win_tags (user_id, win_id, tag_id, occurred_on)
        select item.user_id, item.id, tagged.id, item.occurred_on from item, tagged
      )
      select id, ${jsonRow(columns('select id, name from tagged'))} as json from item`;
    const { space_id, body, occurred_on = null, tag_names = [] } = input;
    const row = await this.sql
      .writes(owner)
      .first<JsonRow & { id: number }>(text, [owner.userId, space_id, body, occurred_on, tag_names]);
    return row && new Created(row.json, row.id);
  }

  /** Only what is given changes; tag names replace the tags. */
  update(owner: Owner, id: number, changes: WinChanges): Promise<Json<Win> | undefined> {
    const { space_id = null, body = null, occurred_on = null, tag_names } = changes;
    return this.sql.transaction(
      async (sql) => {
        await sql.query(RAISE_REVISION, [owner.userId]);
        const own = `
          update wins set
            space_id = coalesce($3, space_id), body = coalesce($4, body), occurred_on = coalesce($5::date, occurred_on)
          where user_id = $1 and id = $2 returning id`;
        if ((await sql.first(own, [owner.userId, id, space_id, body, occurred_on])) === undefined) return undefined;
        if (tag_names !== undefined) await sql.query(REPLACE_TAGS, [owner.userId, id, tag_names]);
        return new WinsRepository(sql).find(owner, id);
      },
      { owner },
    );
  }

  /**
   * Its links are deleted with it.
   *
   * @returns whether there was one
   */
  delete(owner: Owner, id: number): Promise<boolean> {
    const text = `
      with writer as (${RAISE_REVISION})
      delete from wins using writer where wins.user_id = writer.user_id and wins.id = $2 returning wins.id`;
    return this.sql.writes(owner).did(text, [owner.userId, id]);
  }
}

/** The win changes when its tags do. */
const REPLACE_TAGS = `
  with ${tagsOf('$3', '(select id as user_id, revision from users where id = $1)')},
  unlinked as (
    delete from win_tags where user_id = $1 and win_id = $2 and tag_id not in (select id from tagged) returning tag_id
  ),
  linked as (
    insert into win_tags (user_id, win_id, tag_id, occurred_on)
    select $1, $2, tagged.id, wins.occurred_on from tagged, wins where wins.user_id = $1 and wins.id = $2
    on conflict do nothing returning tag_id
  )
  update wins set updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
  where user_id = $1 and id = $2 and (exists (select from unlinked) or exists (select from linked))`;

/** What a list is filtered by: each may be null, the arrays of words empty. */
const GIVEN = '$4::date, $5::date, $6::bigint, $7::text, $8::text[], $9::text[]';
const SPACE = '$6::bigint';
const TAG = '(select id from tags where user_id = $1 and fold_case(name) = (select fold_case($7)))';

const ofDay = (table: string) =>
  `${table}.occurred_on between coalesce($4::date, '-infinity') and coalesce($5::date, 'infinity')`;

/** What is folded stands in a `select` of its own, which runs once, not for each row. */
const indexedWords = (count: number) =>
  Array.from({ length: count }, (_, n) => `folded_body like (select fold_case(($8::text[])[${n + 1}]))`).join(' and ');

const OTHER_WORDS = `wins.folded_body like all ((select array(select fold_case(word) from unnest($9::text[]) word))::text[])`;

/** The link of a tag and its win know the same day. */
const LINK = `
  wins.user_id = $1 and win_tags.user_id = $1
  and win_tags.win_id = wins.id and win_tags.occurred_on = wins.occurred_on`;

/** How many there are, by the counters. */
const countOf = (table: string, condition: string) =>
  `select coalesce(sum(wins_count), 0) from ${table} where user_id = $1${condition}`;

interface Way {
  walked?: 'wins' | 'win_tags';
  from: string;
  /** The SQL of how many there are, and the condition under which it is right. */
  counter?: string;
  unless?: string;
  /** Whether it never asks for days: many wins are read faster in the order of the table than in that of days. */
  anyDay?: boolean;
}

/** @returns the SQL of a page of wins, of which a text of its own is prepared: their number must not grow with requests */
const pageOf = ({ walked = 'wins', from, counter, unless = '$4 is null and $5 is null', anyDay }: Way) =>
  jsonPage({
    given: GIVEN,
    keys: `${walked === 'win_tags' ? 'win_tags.win_id as id' : 'wins.id'}, ${walked}.occurred_on`,
    from: anyDay ? from : `${from} and ${ofDay(walked)}`,
    order: 'occurred_on desc, id desc',
    columns: `${COLUMNS} from wins item where item.user_id = $1 and item.id = match.id`,
    total: counter && `case when ${unless} then (${counter}) else (select count(*) from matches) end`,
    isRevised: true,
    isUnordered: counter === undefined,
  });

const IN_ALL = 'wins where wins.user_id = $1';
const IN_SPACE = `${IN_ALL} and wins.space_id = ${SPACE}`;
const BY_TAG = `win_tags where win_tags.user_id = $1 and win_tags.tag_id = ${TAG}`;

/**
 * The ways to a list of wins. Each is an index that begins with the user, and one the planner can't swap for another: it
 * may have to choose a plan for all users at once, and with average numbers it chooses badly for the largest.
 *
 * - Words that the search index knows: that index alone, behind a fence (`offset 0`); what it finds is filtered by the rest.
 * - A tag: its links in order, which know the day; the rest is looked up win by win.
 * - Else the wins in order, in a space or all of them.
 *
 * Where counters know how many there are, nothing is counted. Where there are words, all matches are found once, counted
 * and sorted.
 */
const WAYS = {
  all: pageOf({ from: IN_ALL, counter: countOf('spaces', '') }),
  space: pageOf({ from: IN_SPACE, counter: countOf('spaces', ` and id = ${SPACE}`) }),
  tag: pageOf({
    walked: 'win_tags',
    from: `${BY_TAG} and (${SPACE} is null or (select wins.space_id = ${SPACE} from wins where ${LINK}))`,
    counter: countOf('tags', ' and fold_case(name) = (select fold_case($7))'),
    unless: `$4 is null and $5 is null and ${SPACE} is null`,
  }),
  scan: pageOf({ from: `${IN_ALL} and ${OTHER_WORDS}`, anyDay: true }),
  scanOfDays: pageOf({ from: `${IN_ALL} and ${OTHER_WORDS}` }),
  scanOfSpace: pageOf({ from: `${IN_SPACE} and ${OTHER_WORDS}`, anyDay: true }),
  scanOfSpaceAndDays: pageOf({ from: `${IN_SPACE} and ${OTHER_WORDS}` }),
  scanOfTag: pageOf({
    walked: 'win_tags',
    from: `${BY_TAG} and (
      select (${SPACE} is null or wins.space_id = ${SPACE}) and ${OTHER_WORDS} from wins where ${LINK})`,
  }),
};

/** The same by the search index, for one word and for more: each is a condition of its own. */
const BY_WORDS = Array.from({ length: MAX_SEARCH_WORDS }, (_, n) =>
  pageOf({
    from: `(select * from wins where user_id = $1 and ${indexedWords(n + 1)} offset 0) wins
      where (${SPACE} is null or wins.space_id = ${SPACE}) and ${OTHER_WORDS}
      and ($7::text is null or (select true from win_tags where ${LINK} and win_tags.tag_id = ${TAG}))`,
  }),
);

/** What the search index knows a word by: three letters or digits in a row. */
const INDEXED = /[a-z\d]{3}/i;

const patternOf = (word: string) => `%${escapeLike(word)}%`;

/** @returns the SQL of the way to the wins that a query asks for */
function wayOf({ space_id, tag, since, until }: WinQuery, indexed: number, others: number): string {
  if (indexed > 0) return BY_WORDS[indexed - 1]!;
  if (tag !== undefined) return others > 0 ? WAYS.scanOfTag : WAYS.tag;
  const isAnyDay = since === undefined && until === undefined;
  if (others === 0) return space_id === undefined ? WAYS.all : WAYS.space;
  if (space_id === undefined) return isAnyDay ? WAYS.scan : WAYS.scanOfDays;
  return isAnyDay ? WAYS.scanOfSpace : WAYS.scanOfSpaceAndDays;
}

/** The statement of a list, its values beyond the user and the page, and whether counters know how many there are. */
function listOf(query: WinQuery): { text: string; values: Value[]; isCounted: boolean } {
  const { space_id = null, tag = null, since = null, until = null, words } = query;
  const indexed = words.filter((word) => INDEXED.test(word)).map(patternOf);
  const others = words.filter((word) => !INDEXED.test(word)).map(patternOf);
  const filters = [space_id, tag, since, until, ...words].filter((filter) => filter !== null);
  return {
    text: wayOf(query, indexed.length, others.length),
    values: [since, until, space_id, tag, indexed, others],
    isCounted: filters.length === 0 || (filters.length === 1 && (space_id ?? tag) !== null),
  };
}
