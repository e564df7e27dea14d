import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller.js';
import { CursorExpiredError } from '../common/errors.js';
import { Revised } from '../common/json.js';
import { asInvalidCursor, invalidCursor, readCursor, writeCursor } from '../database/cursors.js';
import { BEGIN, ChangesRepository, endOf, type Place } from './changes.repository.js';
import type { Changes, ChangesQuery } from './dto/changes.js';

/**
 * What has changed since a client asked last. Revisions are committed in their order, so whoever has seen one has seen
 * all before it, and what changes again comes again.
 */
@Injectable()
export class ChangesService {
  constructor(private readonly changes: ChangesRepository) {}

  /**
   * @throws ValidationError if `since` is no cursor of the caller's, CursorExpiredError if it is older than what is
   *   remembered, or of a time that a restored backup does not know
   */
  async list(caller: Caller, { since, limit }: ChangesQuery): Promise<Revised<Changes>> {
    const view = `changes ${caller.userId}`;
    const place = since === undefined ? BEGIN : readPlace(since, view);
    const row = await this.changes.find(caller, place, limit).catch(asInvalidCursor('since'));
    if (row === undefined) throw new CursorExpiredError();
    const { spaces, tags, wins, deleted, last, revision, forgotten } = row;
    const floor = place.floor ?? revision;
    if (floor < forgotten || floor > revision || place.revision > revision) throw new CursorExpiredError();
    const next = writePlace(last === null ? endOf(revision) : { ...last, floor }, view);
    return new Revised(
      `{"spaces":${spaces},"tags":${tags},"wins":${wins},"deleted":${deleted},"next":"${next}","has_more":${last !== null}}`,
      revision,
    );
  }
}

function writePlace({ floor, revision, kind, id, day, win }: Place, view: string): string {
  const terms = [floor, revision, kind, id, ...(day === null || win === null ? [] : [day, win])];
  return writeCursor(terms.map(String), view);
}

/** @throws ValidationError if it was not written for this view */
function readPlace(cursor: string, view: string): Place {
  const [floor, revision, kind, id, day = null, win = null] = readCursor(cursor, view, 'since');
  const numbers = [floor, revision, kind, id, win ?? 0].map(Number);
  if (!numbers.every(Number.isSafeInteger)) throw invalidCursor('since');
  const [least, at, which, what, ofWin] = numbers as [number, number, number, number, number];
  return { floor: least, revision: at, kind: which, id: what, day, win: win === null ? null : ofWin };
}
