import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller.js';
import { found, NotFoundError } from '../common/errors.js';
import type { Created, Json, Page } from '../common/json.js';
import type { Owner } from '../database/sql.js';
import type { PageQuery } from '../http/pagination.js';
import type { Tag, TagInput } from './dto/tag.js';
import { isTaken, taken } from './tags.errors.js';
import { TagsRepository } from './tags.repository.js';

/** Labels of a user's wins. The database rejects a name that is taken (`uq_tags_name`) and one tag too many (`ck_tags_limit`). */
@Injectable()
export class TagsService {
  constructor(private readonly tags: TagsRepository) {}

  list(caller: Caller, page: PageQuery): Promise<Page<Tag>> {
    return this.tags.list(caller, page);
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
    const renamed = this.tags.whileCurrent(caller, id, ifMatch, (owner) =>
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
    const deleted = this.tags.whileCurrent(caller, id, ifMatch, (owner) => this.tags.delete(owner, id));
    if (!(await deleted)) throw new NotFoundError('Tag');
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
