import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller.js';
import { Download, streamOf } from '../common/download.js';
import { found, NotFoundError } from '../common/errors.js';
import type { Created, CursorPage, Json, Page } from '../common/json.js';
import type { Owner } from '../database/sql.js';
import type { ExportQuery, SummaryQuery, WinQuery } from './dto/win-query.js';
import type { WinsCount } from './dto/wins-count.js';
import type { BatchInput, WrittenWins } from './dto/win-batch.js';
import { tooManyTags, type Win, type WinChanges, type WinInput } from './dto/win.js';
import { FORMATS } from './win-formats.js';
import { checkBatch, notYourSpace, refuseTagNames } from './wins.errors.js';
import { WinsRepository, type BatchChecks } from './wins.repository.js';

/** What a user accomplished. A win creates the tags that it names, unless they exist. */
@Injectable()
export class WinsService {
  constructor(private readonly wins: WinsRepository) {}

  list(caller: Caller, query: WinQuery): Promise<Page<Win> | CursorPage<Win>> {
    return this.wins.list(caller, query);
  }

  /** How many wins of a filter there are in each period, in each space or with each tag. */
  summary(caller: Caller, query: SummaryQuery): Promise<Json<WinsCount[]>> {
    return this.wins.summary(caller, query);
  }

  /** All wins of a filter as a file; what is written meanwhile may be in it or not. */
  async export(caller: Caller, query: ExportQuery): Promise<Download> {
    const { revision, spaces } = await this.wins.spacesOf(caller, query.space_id);
    const { type, extension, write } = FORMATS[query.format];
    const pieces = write(spaces, (filter) => this.wins.pages(caller, { ...query, ...filter }));
    return new Download(await streamOf(pieces), revision, { type, name: `wins.${extension}` });
  }

  /** @throws NotFoundError if the caller has no such win */
  async get(caller: Caller, id: number): Promise<Json<Win>> {
    return found('Win', await this.wins.find(caller, id));
  }

  /** @throws ValidationError if the space is not the caller's, or a tag would be one too many */
  async create(caller: Caller, input: WinInput): Promise<Created<Win>> {
    const win = await this.wins.insert(caller, input).catch(refuseTagNames());
    if (win === undefined) throw notYourSpace();
    return win;
  }

  /**
   * @throws NotFoundError if the caller has no such win, ValidationError if the space is not the caller's or a tag would be
   *   one too many, PreconditionFailedError if it is not what `ifMatch` says
   */
  async update(caller: Caller, id: number, changes: WinChanges, ifMatch?: string): Promise<Json<Win>> {
    const update = (owner: Owner) =>
      this.wins.update(owner, id, changes, () => {
        throw tooManyTags();
      });
    return found('Win', await this.wins.ifUnchanged(caller, id, ifMatch, update).catch(refuseTagNames()));
  }

  /**
   * Creates, changes and deletes wins, all or none.
   *
   * @throws ValidationError if one of them can't be, or a tag would be one too many
   */
  batch(caller: Caller, batch: BatchInput): Promise<Json<WrittenWins>> {
    const checks: BatchChecks = {
      known: (known) => checkBatch(batch, known),
      overfull: (id) => {
        throw tooManyTags(`batch.update[${batch.update!.findIndex((update) => update.id === id)}].add_tag_names`);
      },
    };
    return this.wins.batch(caller, batch, checks).catch(refuseTagNames('batch'));
  }

  /**
   * Its tags are kept; their counts drop by one.
   *
   * @throws NotFoundError if the caller has no such win, PreconditionFailedError if it is not what `ifMatch` says
   */
  async delete(caller: Caller, id: number, ifMatch?: string): Promise<void> {
    const deleted = this.wins.ifUnchanged(caller, id, ifMatch, (owner) => this.wins.delete(owner, id));
    if (!(await deleted)) throw new NotFoundError('Win');
  }
}
