import { Injectable } from '@nestjs/common';
import { Created, type Json, type Page } from '../common/json.js';
import { jsonPage, jsonRow, jsonTime, type JsonRow } from '../database/json.js';
import type { Value } from '../database/queries.js';
import { Sql } from '../database/sql.js';
import type { Win, WinChanges, WinInput } from './dto/win.js';
import type { WinQuery } from './dto/win-query.js';

const SPACE_OF_WIN = `
  (select row_to_json(s) from (select id, name, emoji from spaces where user_id = item.user_id and id = item.space_id) s)`;

/** Each tag is looked up, behind a fence: with average numbers the planner would rather read all tags of the user. */
const TAGS_OF_WIN = `
  select tag_id as id, tag.name from win_tags cross join lateral (
    select name from tags where tags.user_id = win_tags.user_id and tags.id = win_tags.tag_id offset 0
  ) tag
  where win_tags.user_id = item.user_id and win_tags.win_id = item.id`;

/** @param tags selects id and name of the tags of the row `item` */
const columns = (tags: string) => `
  item.id, item.body, item.occurred_on, ${SPACE_OF_WIN} as space,
  array_to_json(array(select row_to_json(t) from (${tags}) t order by t.name)) as tags,
  ${jsonTime('item.created_at')} as created_at, ${jsonTime('item.updated_at')} as updated_at`;

const COLUMNS = columns(TAGS_OF_WIN);

/**
 * The tags of some names, made where they are missing: the first spelling wins, and no race makes two.
 *
 * @param names the parameter with the names @param owner a row with the `user_id`; where there is none, no tag is made
 */
const tagsOf = (names: string, owner: string) => `
  wanted as (
    select distinct on (fold_case(name)) name from unnest(${names}::text[]) with ordinality as given (name, place)
    order by fold_case(name), place
  ),
  tagged as (
    insert into tags (user_id, name) select owner.user_id, wanted.name from wanted, ${owner} owner
    on conflict (user_id, fold_case(name)) do update set name = tags.name
    returning id, name
  )`;

const LOCK_WRITER = 'select id from users where id = $1 for no key update';

@Injectable()
export class WinsRepository {
  constructor(private readonly sql: Sql) {}

  /** Newest day first, then newest id. */
  list(userId: number, query: WinQuery): Promise<Page<Win>> {
    const { list, values } = listOf(query);
    const shared = list.total === undefined ? this.sql : this.sql.sharedLong; // what has no counter takes long to count
    return query.read(this.sql, jsonPage(list), userId, values, shared);
  }

  find(userId: number, id: number): Promise<Json<Win> | undefined> {
    const text = `select ${jsonRow(COLUMNS)} as json from wins item where user_id = $1 and id = $2`;
    return this.sql.shared.json(text, [userId, id]);
  }

  /**
   * Records a win, its tags and their links in one statement.
   *
   * @returns `undefined` if the user has no such space
   */
  async insert(userId: number, input: WinInput): Promise<Created<Win> | undefined> {
    const text = `
      with writer as (${LOCK_WRITER}),
      item as (
        insert into wins (user_id, space_id, body, occurred_on)
        select writer.id, spaces.id, $3, coalesce($4::date, (now() at time zone 'UTC')::date)
        from writer join spaces on spaces.user_id = writer.id and spaces.id = $2
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
      .writes(userId)
      .first<JsonRow & { id: number }>(text, [userId, space_id, body, occurred_on, tag_names]);
    return row && new Created(row.json, row.id);
  }

  /** Only what is given changes; tag names replace the tags. */
  update(userId: number, id: number, changes: WinChanges): Promise<Json<Win> | undefined> {
    const { space_id = null, body = null, occurred_on = null, tag_names } = changes;
    return this.sql.transaction(
      async (sql) => {
        await sql.query(LOCK_WRITER, [userId]);
        const own = `
          update wins set
            space_id = coalesce($3, space_id), body = coalesce($4, body), occurred_on = coalesce($5::date, occurred_on)
          where user_id = $1 and id = $2 returning id`;
        if ((await sql.first(own, [userId, id, space_id, body, occurred_on])) === undefined) return undefined;
        if (tag_names !== undefined) await sql.query(REPLACE_TAGS, [userId, id, tag_names]);
        return new WinsRepository(sql).find(userId, id);
      },
      { userId },
    );
  }

  /**
   * Its links go with it.
   *
   * @returns whether there was one
   */
  async delete(userId: number, id: number): Promise<boolean> {
    const text = `
      with writer as (${LOCK_WRITER})
      delete from wins using writer where wins.user_id = writer.id and wins.id = $2 returning wins.id`;
    return (await this.sql.writes(userId).first(text, [userId, id])) !== undefined;
  }
}

/** The win changes when its tags do. */
const REPLACE_TAGS = `
  with ${tagsOf('$3', '(select $1::bigint as user_id)')},
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

/** What the search index knows a word by: three letters or digits in a row. */
const INDEXED = /[a-z\d]{3}/i;

/**
 * Where a list finds its wins. Each way to them is an index that begins with the user, and one the planner can't swap for
 * another: it may have to choose a plan for all users at once, and with average numbers it chooses badly for the largest.
 *
 * - Words: the search index alone, behind a fence (`offset 0`); what it finds is filtered by the rest.
 * - A tag: its links in order, which know the day; the rest is looked up win by win.
 * - Else the wins in order, in a space or all of them.
 *
 * Where counters know how many there are, nothing is counted. What is folded stands in a `select` of its own, which runs
 * once, not for each row.
 */
function listOf({ space_id, tag, since, until, words }: WinQuery) {
  const values: Value[] = [];
  const bind = (value: Value) => `$${values.push(value) + 3}`;
  let counter = 'select coalesce(sum(wins_count), 0) from spaces where user_id = $1';

  const ofWin: string[] = [];
  if (space_id !== undefined) {
    const id = bind(space_id);
    ofWin.push(`wins.space_id = ${id}`);
    counter = `select coalesce(sum(wins_count), 0) from spaces where user_id = $1 and id = ${id}`;
  }
  const ofIndex: string[] = [];
  for (const word of words) {
    if (INDEXED.test(word)) {
      const pattern = bind(`%${word.replace(/[\\%_]/g, '\\$&')}%`);
      ofIndex.push(`folded_body like (select fold_case(${pattern}))`);
    } else {
      ofWin.push(`strpos(wins.folded_body, (select fold_case(${bind(word)}))) > 0`);
    }
  }
  const isWalkedByTag = tag !== undefined && ofIndex.length === 0;
  const walked = isWalkedByTag ? 'win_tags' : 'wins';
  const ofDay: string[] = [];
  if (since !== undefined) ofDay.push(`${walked}.occurred_on >= ${bind(since)}::date`);
  if (until !== undefined) ofDay.push(`${walked}.occurred_on <= ${bind(until)}::date`);

  const link =
    'win_tags.user_id = wins.user_id and win_tags.win_id = wins.id and win_tags.occurred_on = wins.occurred_on';
  const conditions = [`${walked}.user_id = $1`, ...ofDay];
  if (tag !== undefined) {
    const named = `from tags where user_id = $1 and fold_case(name) = (select fold_case(${bind(tag)}))`;
    const isTagged = `win_tags.tag_id = (select id ${named})`;
    conditions.push(isWalkedByTag ? isTagged : `(select true from win_tags where ${link} and ${isTagged})`);
    counter = `select coalesce(sum(wins_count), 0) ${named}`;
  }
  if (!isWalkedByTag) conditions.push(...ofWin);
  else if (ofWin.length > 0) conditions.push(`(select ${ofWin.join(' and ')} from wins where ${link})`);

  const source =
    ofIndex.length > 0 ? `(select * from wins where user_id = $1 and ${ofIndex.join(' and ')} offset 0) wins` : walked;
  const filters = [space_id, tag, since, until, ...words].filter((filter) => filter !== undefined);
  const isCounted = filters.length === 0 || (filters.length === 1 && (space_id ?? tag) !== undefined);
  return {
    values,
    list: {
      keys: `${walked}.${isWalkedByTag ? 'win_id as id' : 'id'}, ${walked}.occurred_on`,
      from: `${source} where ${conditions.join(' and ')}`,
      order: 'occurred_on desc, id desc',
      columns: `${COLUMNS} from wins item where item.user_id = $1 and item.id = match.id`,
      total: isCounted ? counter : undefined,
      isUnordered: words.length > 0,
    },
  };
}
