import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller.js';
import { found, NotFoundError } from '../common/errors.js';
import type { Created, Json, Page } from '../common/json.js';
import type { Owner } from '../database/sql.js';
import type { PageQuery } from '../http/pagination.js';
import type { DeleteSpaceQuery, OrderInput, Space, SpaceChanges, SpaceInput } from './dto/space.js';
import { checkOrder, movedToItself, notYourTarget } from './spaces.errors.js';
import { SpacesRepository } from './spaces.repository.js';

/** Groups of a user's wins. The database rejects one space too many (`ck_spaces_plan_limit`, `ck_spaces_limit`). */
@Injectable()
export class SpacesService {
  constructor(private readonly spaces: SpacesRepository) {}

  list(caller: Caller, page: PageQuery): Promise<Page<Space>> {
    return this.spaces.list(caller, page);
  }

  /** @throws NotFoundError if the caller has no such space */
  async get(caller: Caller, id: number): Promise<Json<Space>> {
    return found('Space', await this.spaces.find(caller, id));
  }

  /** @throws PlanLimitError if the caller's plan allows no further space, ValidationError if none does */
  create(caller: Caller, input: SpaceInput): Promise<Created<Space>> {
    return this.spaces.insert(caller, input);
  }

  /** @throws NotFoundError if the caller has no such space, PreconditionFailedError if it is not what `ifMatch` says */
  async update(caller: Caller, id: number, changes: SpaceChanges, ifMatch?: string): Promise<Json<Space>> {
    const update = (owner: Owner) => this.spaces.update(owner, id, changes);
    return found('Space', await this.spaces.ifUnchanged(caller, id, ifMatch, update));
  }

  /**
   * Deletes the space, with all wins in it unless they are to be moved.
   *
   * @throws NotFoundError if the caller has no such space, PreconditionFailedError if it is not what `ifMatch` says,
   *   ValidationError if the space for the wins is not another one of the caller's
   */
  async delete(caller: Caller, id: number, { move_wins_to }: DeleteSpaceQuery, ifMatch?: string): Promise<void> {
    if (move_wins_to === id) throw movedToItself();
    const deleted = await this.spaces.ifUnchanged(caller, id, ifMatch, (owner) =>
      move_wins_to === undefined ? this.spaces.delete(owner, id) : this.spaces.deleteAfterMove(owner, id, move_wins_to),
    );
    if (deleted === undefined) throw notYourTarget();
    if (!deleted) throw new NotFoundError('Space');
  }

  /** @throws ValidationError if the order is not of all the caller's spaces, each once */
  reorder(caller: Caller, { space_ids }: OrderInput): Promise<Json<Space[]>> {
    return this.spaces.reorder(caller, space_ids, (all) => checkOrder(space_ids, all));
  }
}
