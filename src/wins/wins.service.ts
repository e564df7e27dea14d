import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller.js';
import { found, NotFoundError } from '../common/errors.js';
import type { Created, CursorPage, Json, Page } from '../common/json.js';
import type { Owner } from '../database/sql.js';
import type { WinQuery } from './dto/win-query.js';
import type { Win, WinChanges, WinInput } from './dto/win.js';
import { notYourSpace, refuseTagNames } from './wins.errors.js';
import { WinsRepository } from './wins.repository.js';

/** What a user accomplished. A win creates the tags that it names, unless they exist. */
@Injectable()
export class WinsService {
  constructor(private readonly wins: WinsRepository) {}

  list(caller: Caller, query: WinQuery): Promise<Page<Win> | CursorPage<Win>> {
    return this.wins.list(caller, query);
  }

  /** @throws NotFoundError if the caller has no such win */
  async get(caller: Caller, id: number): Promise<Json<Win>> {
    return found('Win', await this.wins.find(caller, id));
  }

  /** @throws ValidationError if the space is not the caller's, or a tag would be one too many */
  async create(caller: Caller, input: WinInput): Promise<Created<Win>> {
    const win = await this.wins.insert(caller, input).catch(refuseTagNames);
    if (win === undefined) throw notYourSpace();
    return win;
  }

  /**
   * @throws NotFoundError if the caller has no such win, ValidationError if the space is not the caller's or a tag would be
   *   one too many, PreconditionFailedError if it is not what `ifMatch` says
   */
  async update(caller: Caller, id: number, changes: WinChanges, ifMatch?: string): Promise<Json<Win>> {
    const update = (owner: Owner) => this.wins.update(owner, id, changes);
    return found('Win', await this.wins.whileCurrent(caller, id, ifMatch, update).catch(refuseTagNames));
  }

  /**
   * Its tags are kept; their counts drop by one.
   *
   * @throws NotFoundError if the caller has no such win, PreconditionFailedError if it is not what `ifMatch` says
   */
  async delete(caller: Caller, id: number, ifMatch?: string): Promise<void> {
    const deleted = this.wins.whileCurrent(caller, id, ifMatch, (owner) => this.wins.delete(owner, id));
    if (!(await deleted)) throw new NotFoundError('Win');
  }
}
