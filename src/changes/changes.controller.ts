import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../common/caller.js';
import type { Json } from '../common/json.js';
import { CurrentCaller } from '../http/current-caller.js';
import { CURSOR_EXPIRED } from '../openapi/errors.js';
import { Operation } from '../openapi/operation.js';
import { ChangesService } from './changes.service.js';
import { Changes, ChangesQuery, INVALID_CHANGES_QUERY } from './dto/changes.js';

@ApiTags('Changes')
@Controller('api/v1/changes')
export class ChangesController {
  constructor(private readonly changes: ChangesService) {}

  @Operation(
    'listChanges',
    'List what has changed',
    'For a copy of your spaces, tags and wins. Without `since` everything comes, page by page; then only what has changed, ' +
      'whoever changed it. Once `has_more` is false the copy is what the service has. A deleted space is one entry, also ' +
      'for its wins; a deleted or merged tag is one entry, and no win of the copy has it any more. ' +
      'Deletions are remembered for 90 days.',
    { returns: Changes, errors: [INVALID_CHANGES_QUERY, CURSOR_EXPIRED] },
  )
  @Get()
  list(@CurrentCaller() caller: Caller, @Query() query: ChangesQuery): Promise<Json<Changes>> {
    return this.changes.list(caller, query);
  }
}
