import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../common/caller.js';
import type { Created, CursorPage, Json, Page } from '../common/json.js';
import { CurrentCaller } from '../http/current-caller.js';
import { IfMatch } from '../http/conditional.js';
import { IdPipe } from '../http/id.pipe.js';
import { notFound, PRECONDITION_FAILED } from '../openapi/errors.js';
import { Operation } from '../openapi/operation.js';
import { INVALID_FILTER, WinQuery } from './dto/win-query.js';
import { CreateWin, INVALID_WIN, UpdateWin, Win } from './dto/win.js';
import { WinsService } from './wins.service.js';

const WIN_NOT_FOUND = notFound('Win');

@ApiTags('Wins')
@Controller('api/v1/wins')
export class WinsController {
  constructor(private readonly wins: WinsService) {}

  @Operation(
    'listWins',
    'List wins',
    'Newest day first, then newest id, or as `sort` says. All filters must match; an empty filter is ignored.',
    { returns: [Win], cursor: true, errors: [INVALID_FILTER] },
  )
  @Get()
  list(@CurrentCaller() caller: Caller, @Query() query: WinQuery): Promise<Page<Win> | CursorPage<Win>> {
    return this.wins.list(caller, query);
  }

  @Operation('getWin', 'Get a win', 'One of your wins, with its space and tags.', {
    returns: Win,
    errors: [WIN_NOT_FOUND],
  })
  @Get(':id')
  get(@CurrentCaller() caller: Caller, @Param('id', IdPipe) id: number): Promise<Json<Win>> {
    return this.wins.get(caller, id);
  }

  @Operation(
    'createWin',
    'Record a win',
    "It goes in one of your spaces. Names in `tag_names` that don't exist yet are created as tags; " +
      'names that differ only in case are the same tag. Without `occurred_on` the day is today in UTC.',
    { returns: Win, errors: [INVALID_WIN] },
  )
  @Post()
  create(@CurrentCaller() caller: Caller, @Body() { win }: CreateWin): Promise<Created<Win>> {
    return this.wins.create(caller, win);
  }

  @Operation(
    'updateWin',
    'Update a win',
    'Send only the fields to change; `tag_names` replaces all its tags. Without any change `updated_at` stays.',
    { returns: Win, errors: [INVALID_WIN, WIN_NOT_FOUND, PRECONDITION_FAILED] },
  )
  @Patch(':id')
  update(
    @CurrentCaller() caller: Caller,
    @Param('id', IdPipe) id: number,
    @Body() { win }: UpdateWin,
    @IfMatch() ifMatch?: string,
  ): Promise<Json<Win>> {
    return this.wins.update(caller, id, win, ifMatch);
  }

  @Operation('deleteWin', 'Delete a win', "Its tags are kept; each tag's `wins_count` drops by one.", {
    errors: [WIN_NOT_FOUND, PRECONDITION_FAILED],
  })
  @Delete(':id')
  delete(@CurrentCaller() caller: Caller, @Param('id', IdPipe) id: number, @IfMatch() ifMatch?: string): Promise<void> {
    return this.wins.delete(caller, id, ifMatch);
  }
}
