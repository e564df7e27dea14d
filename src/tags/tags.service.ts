import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller.js';
import { found, NotFoundError } from '../common/errors.js';
import { Json, type Created, type CursorPage, type Page } from '../common/json.js';
import type { Owner } from '../database/sql.js';
import type { TagQuery } from './dto/tag-query.js';
import type { DeletedTags, MergeInput, Tag, TagInput, UnusedQuery } from './dto/tag.js';
import { isTaken, mergedIntoItself, notYourTag, taken, usedRequired } from './tags.errors.js';
import { TagsRepository } from './tags.repository.js';

/** Labels of a user's wins. The database rejects a name that is taken (`uq_tags_name`) and one tag too many (`ck_tags_limit`). */
@Injectable()
export class TagsService {
  constructor(private readonly tags: TagsRepository) {}

  list(caller: Caller, query: TagQuery): Promise<Page<Tag> | CursorPage<Tag>> {
    return this.tags.list(caller, query);
  }

  /** @throws NotFoundError if the caller has no such tag */
  async get(caller: Caller, id: number): Promise<Json<Tag>> {
    return found('Tag', await this.tags.find(caller, id));
  }

  /** @throws ValidationError if the name is taken or the caller has the maximum number of tags */
  create(caller: Caller, { name }: TagInput): Promise<Created<Tag>> {
    return this.tags.insert(caller, name).catch((error) => this.refuse(error, caller, name));
  }

  /**
   * Renames the tag on all the wins that carry it.
   *
   * @throws NotFoundError if the caller has no such tag, ValidationError if another has the name,
   *   PreconditionFailedError if it is not what `ifMatch` says
   */
  async rename(caller: Caller, id: number, { name }: TagInput, ifMatch?: string): Promise<Json<Tag>> {
    const renamed = this.tags.ifUnchanged(caller, id, ifMatch, (owner) =>
      this.tags.rename(owner, id, name).catch((error) => this.refuse(error, owner, name, id)),
    );
    return found('Tag', await renamed);
  }

  /**
   * Takes the tag off its wins, which stay, and deletes it.
   *
   * @throws NotFoundError if the caller has no such tag, PreconditionFailedError if it is not what `ifMatch` says
   */
  async delete(caller: Caller, id: number, ifMatch?: string): Promise<void> {
    const deleted = this.tags.ifUnchanged(caller, id, ifMatch, (owner) => this.tags.delete(owner, id));
    if (!(await deleted)) throw new NotFoundError('Tag');
  }

  /**
   * Merges a tag into another: its wins carry the other, once, and it is gone.
   *
   * @throws NotFoundError if the caller has no such tag, ValidationError if the other is not another one of the caller's
   */
  async merge(caller: Caller, id: number, { into_id }: MergeInput): Promise<Json<Tag>> {
    if (into_id === id) throw mergedIntoItself();
    const { isGone, merged } = await this.tags.merge(caller, id, into_id);
    if (isGone) throw new NotFoundError('Tag');
    if (merged === undefined) throw notYourTag();
    return merged;
  }

  /**
   * Deletes the tags that no win uses.
   *
   * @throws ValidationError unless the query asks for these, so that nobody deletes all by accident
   */
  async deleteUnused(caller: Caller, { used }: UnusedQuery): Promise<Json<DeletedTags>> {
    if (used !== 'false') throw usedRequired();
    return new Json(JSON.stringify({ deleted: await this.tags.deleteUnused(caller) }));
  }

  /**
   * Finds out which tag has a name that was taken, so that a frontend can offer to merge. Meanwhile it may be gone, or the
   * renamed tag itself may have got the name.
   *
   * @param ownId of the tag that was to be renamed
   */
  private async refuse(error: unknown, owner: Owner, name: string, ownId?: number): Promise<never> {
    if (!isTaken(error)) throw error;
    const id = await this.tags.findByName(owner, name);
    throw taken(id === ownId ? undefined : id);
  }
}
