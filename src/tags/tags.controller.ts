import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../common/caller.js';
import type { Created, CursorPage, Json, Page } from '../common/json.js';
import { CurrentCaller } from '../http/current-caller.js';
import { IfMatch } from '../http/conditional.js';
import { IdPipe } from '../http/id.pipe.js';
import { notFound, PRECONDITION_FAILED } from '../openapi/errors.js';
import { Operation } from '../openapi/operation.js';
import { INVALID_TAG_QUERY, TagQuery } from './dto/tag-query.js';
import {
  DeletedTags,
  INVALID_MERGE,
  INVALID_TAG,
  MergeBody,
  Tag,
  TagBody,
  UnusedQuery,
  USED_REQUIRED,
} from './dto/tag.js';
import { TagsService } from './tags.service.js';

const TAG_NOT_FOUND = notFound('Tag');

@ApiTags('Tags')
@Controller('api/v1/tags')
export class TagsController {
  constructor(private readonly tags: TagsService) {}

  @Operation(
    'listTags',
    'List tags',
    "Alphabetically, as people read it: case and accents don't split the alphabet. Or as `sort` says.",
    {
      returns: [Tag],
      cursor: true,
      errors: [INVALID_TAG_QUERY],
    },
  )
  @Get()
  list(@CurrentCaller() caller: Caller, @Query() query: TagQuery): Promise<Page<Tag> | CursorPage<Tag>> {
    return this.tags.list(caller, query);
  }

  @Operation('getTag', 'Get a tag', 'One of your tags, with the number of wins that use it.', {
    returns: Tag,
    errors: [TAG_NOT_FOUND],
  })
  @Get(':id')
  get(@CurrentCaller() caller: Caller, @Param('id', IdPipe) id: number): Promise<Json<Tag>> {
    return this.tags.get(caller, id);
  }

  @Operation(
    'createTag',
    'Create a tag',
    'The name is trimmed and must not be taken; names that differ only in case are the same. ' +
      'Recording a win creates the tags it names, so this is for tags that wait for their first win.',
    { returns: Tag, errors: [INVALID_TAG] },
  )
  @Post()
  create(@CurrentCaller() caller: Caller, @Body() { tag }: TagBody): Promise<Created<Tag>> {
    return this.tags.create(caller, tag);
  }

  @Operation(
    'renameTag',
    'Rename a tag',
    'The new name applies to all wins that use the tag. It must not be taken by another tag; ' +
      "the tag's own name in other capitals is fine.",
    { returns: Tag, errors: [INVALID_TAG, TAG_NOT_FOUND, PRECONDITION_FAILED] },
  )
  @Patch(':id')
  rename(
    @CurrentCaller() caller: Caller,
    @Param('id', IdPipe) id: number,
    @Body() { tag }: TagBody,
    @IfMatch() ifMatch?: string,
  ): Promise<Json<Tag>> {
    return this.tags.rename(caller, id, tag, ifMatch);
  }

  @Operation('deleteTag', 'Delete a tag', 'Its wins are kept; they only lose the tag.', {
    errors: [TAG_NOT_FOUND, PRECONDITION_FAILED],
  })
  @Delete(':id')
  delete(@CurrentCaller() caller: Caller, @Param('id', IdPipe) id: number, @IfMatch() ifMatch?: string): Promise<void> {
    return this.tags.delete(caller, id, ifMatch);
  }

  @Operation(
    'mergeTag',
    'Merge a tag into another',
    'Every win with this tag gets the other one instead, and this tag is deleted, all or nothing.',
    { returns: Tag, errors: [INVALID_MERGE, TAG_NOT_FOUND] },
  )
  @Post(':id/merge')
  @HttpCode(200)
  merge(
    @CurrentCaller() caller: Caller,
    @Param('id', IdPipe) id: number,
    @Body() { tag }: MergeBody,
  ): Promise<Json<Tag>> {
    return this.tags.merge(caller, id, tag);
  }

  @Operation('deleteUnusedTags', 'Delete unused tags', 'Deletes all tags that no win uses.', {
    returns: DeletedTags,
    errors: [USED_REQUIRED],
  })
  @Delete()
  deleteUnused(@CurrentCaller() caller: Caller, @Query() query: UnusedQuery): Promise<Json<DeletedTags>> {
    return this.tags.deleteUnused(caller, query);
  }
}
