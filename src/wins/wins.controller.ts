import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../common/caller.js';
import type { Download } from '../common/download.js';
import type { Created, CursorPage, Json, Page } from '../common/json.js';
import { CurrentCaller } from '../http/current-caller.js';
import { IfMatch } from '../http/conditional.js';
import { IdPipe } from '../http/id.pipe.js';
import { notFound, PRECONDITION_FAILED } from '../openapi/errors.js';
import { Operation } from '../openapi/operation.js';
import {
  ExportQuery,
  INVALID_EXPORT,
  INVALID_FILTER,
  INVALID_SUMMARY,
  SummaryQuery,
  WinQuery,
} from './dto/win-query.js';
import { BatchBody, INVALID_BATCH, WrittenWins } from './dto/win-batch.js';
import { CreateWin, INVALID_CHANGES, INVALID_WIN, UpdateWin, Win } from './dto/win.js';
import { WinsCount } from './dto/wins-count.js';
import { FORMATS } from './win-formats.js';
import { WinsService } from './wins.service.js';

const WIN_NOT_FOUND = notFound('Win');

@ApiTags('Wins')
@Controller('api/v1/wins')
export class WinsController {
  constructor(private readonly wins: WinsService) {}

  @Operation(
    'listWins',
    'List wins',
    'Newest day first, then newest id, or as `sort` says. All filters must match; an empty filter is ignored. ' +
      'By cursor, a request looks through 10,000 wins at most: where few match, a page can have fewer wins than `per_page`, ' +
      'or none, and still a next cursor.',
    { returns: [Win], cursor: true, errors: [INVALID_FILTER] },
  )
  @Get()
  list(@CurrentCaller() caller: Caller, @Query() query: WinQuery): Promise<Page<Win> | CursorPage<Win>> {
    return this.wins.list(caller, query);
  }

  @Operation(
    'summarizeWins',
    'Count wins by time, space or tag',
    'Periods newest first, spaces and tags largest first, at most 10,000; without those that have none. ' +
      'The filters are those of the list.',
    { returns: [WinsCount], isWhole: true, errors: [INVALID_SUMMARY] },
  )
  @Get('summary')
  summary(@CurrentCaller() caller: Caller, @Query() query: SummaryQuery): Promise<Json<WinsCount[]>> {
    return this.wins.summary(caller, query);
  }

  @Operation(
    'exportWins',
    'Export wins',
    'All wins of the filters, newest first, as a file of any length. Markdown has a heading for each space and month. ' +
      'If it fails on the way, the connection is broken off. You can have two exports at a time.',
    { downloads: Object.values(FORMATS).map(({ type }) => type), errors: [INVALID_EXPORT] },
  )
  @Get('export')
  export(@CurrentCaller() caller: Caller, @Query() query: ExportQuery): Promise<Download> {
    return this.wins.export(caller, query);
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
    'batchWins',
    'Create, update and delete wins',
    'At most 100 in all, and all or none: if one of them is not valid, nothing is done. ' +
      'The response has the wins in the order of the request.',
    { returns: WrittenWins, errors: [INVALID_BATCH] },
  )
  @Post('batch')
  @HttpCode(200)
  batch(@CurrentCaller() caller: Caller, @Body() { batch }: BatchBody): Promise<Json<WrittenWins>> {
    return this.wins.batch(caller, batch);
  }

  @Operation(
    'updateWin',
    'Update a win',
    'Send only the fields to change. `tag_names` replaces all its tags; `add_tag_names` and `remove_tag_names` change some. ' +
      'Without any change `updated_at` stays.',
    { returns: Win, errors: [INVALID_CHANGES, WIN_NOT_FOUND, PRECONDITION_FAILED] },
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
