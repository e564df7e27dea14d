import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../common/caller.js';
import type { Created, Json, Page } from '../common/json.js';
import { CurrentCaller } from '../http/current-caller.js';
import { IfMatch } from '../http/conditional.js';
import { IdPipe } from '../http/id.pipe.js';
import { PageQuery } from '../http/pagination.js';
import { INVALID_PAGE, PLAN_LIMIT_REACHED, notFound, PRECONDITION_FAILED } from '../openapi/errors.js';
import { Operation } from '../openapi/operation.js';
import {
  CreateSpace,
  DeleteSpaceQuery,
  INVALID_MOVE,
  INVALID_ORDER,
  INVALID_SPACE,
  OrderBody,
  Space,
  UpdateSpace,
} from './dto/space.js';
import { SpacesService } from './spaces.service.js';

const SPACE_NOT_FOUND = notFound('Space');

@ApiTags('Spaces')
@Controller('api/v1/spaces')
export class SpacesController {
  constructor(private readonly spaces: SpacesService) {}

  @Operation('listSpaces', 'List spaces', 'In display order: by `position`, lower first, ties by id.', {
    returns: [Space],
    errors: [INVALID_PAGE],
  })
  @Get()
  list(@CurrentCaller() caller: Caller, @Query() page: PageQuery): Promise<Page<Space>> {
    return this.spaces.list(caller, page);
  }

  @Operation('getSpace', 'Get a space', 'One of your spaces, with the number of wins in it.', {
    returns: Space,
    errors: [SPACE_NOT_FOUND],
  })
  @Get(':id')
  get(@CurrentCaller() caller: Caller, @Param('id', IdPipe) id: number): Promise<Json<Space>> {
    return this.spaces.get(caller, id);
  }

  @Operation(
    'createSpace',
    'Create a space',
    'The free plan has at most 3 spaces; the fourth is rejected with 402; deleting one makes room. ' +
      'Two spaces may share a name. Without `position` the space goes last.',
    { returns: Space, errors: [INVALID_SPACE, PLAN_LIMIT_REACHED] },
  )
  @Post()
  create(@CurrentCaller() caller: Caller, @Body() { space }: CreateSpace): Promise<Created<Space>> {
    return this.spaces.create(caller, space);
  }

  @Operation(
    'updateSpace',
    'Update a space',
    'Send only the fields to change; an `emoji` of `null` removes it. If nothing changes, `updated_at` stays.',
    { returns: Space, errors: [INVALID_SPACE, SPACE_NOT_FOUND, PRECONDITION_FAILED] },
  )
  @Patch(':id')
  update(
    @CurrentCaller() caller: Caller,
    @Param('id', IdPipe) id: number,
    @Body() { space }: UpdateSpace,
    @IfMatch() ifMatch?: string,
  ): Promise<Json<Space>> {
    return this.spaces.update(caller, id, space, ifMatch);
  }

  @Operation(
    'deleteSpace',
    'Delete a space',
    "**All wins in it are deleted with it**, all or nothing, unless `move_wins_to` names another space for them. Their tags are kept; each tag's `wins_count` drops accordingly.",
    { errors: [INVALID_MOVE, SPACE_NOT_FOUND, PRECONDITION_FAILED] },
  )
  @Delete(':id')
  delete(
    @CurrentCaller() caller: Caller,
    @Param('id', IdPipe) id: number,
    @Query() query: DeleteSpaceQuery,
    @IfMatch() ifMatch?: string,
  ): Promise<void> {
    return this.spaces.delete(caller, id, query, ifMatch);
  }

  @Operation(
    'orderSpaces',
    'Put the spaces in order',
    'Send the ids of all your spaces in the order to show them. Their positions become 0, 1, 2 …',
    { returns: [Space], isWhole: true, errors: [INVALID_ORDER] },
  )
  @Put('order')
  reorder(@CurrentCaller() caller: Caller, @Body() { order }: OrderBody): Promise<Json<Space[]>> {
    return this.spaces.reorder(caller, order);
  }
}
