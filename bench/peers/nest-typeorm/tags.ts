import { Body, Controller, Get, Inject, Injectable, Param, Patch, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Repository } from 'typeorm';
import { addPaging, notFound, readId } from '../http.js';
import { UserId } from './auth.js';
import { PageQuery, TagBody } from './dto.js';
import { Tag } from './entities.js';

@Injectable()
export class TagsService {
  constructor(@Inject(Tag) private readonly tags: Repository<Tag>) {}

  findAll(user_id: number, { page, per_page }: PageQuery): Promise<[Tag[], number]> {
    return this.tags.findAndCount({
      where: { user_id },
      order: { name: 'ASC' },
      take: per_page,
      skip: (page - 1) * per_page,
    });
  }

  async rename(user_id: number, id: number, name: string): Promise<Tag> {
    const tag = await this.tags.findOneBy({ user_id, id });
    if (tag === null) throw notFound('Tag');
    tag.name = name;
    return this.tags.save(tag);
  }
}

@Controller('api/v1/tags')
export class TagsController {
  constructor(private readonly tags: TagsService) {}

  @Get()
  async findAll(
    @UserId() userId: number,
    @Query() query: PageQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Tag[]> {
    const [tags, total] = await this.tags.findAll(userId, query);
    addPaging(request, reply, query.page, query.per_page, total);
    return tags;
  }

  @Patch(':id')
  rename(@UserId() userId: number, @Param('id') id: string, @Body() { tag }: TagBody): Promise<Tag> {
    return this.tags.rename(userId, readId(id), tag.name);
  }
}
