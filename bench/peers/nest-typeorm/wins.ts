import { Body, Controller, Get, Inject, Injectable, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource, In, Repository } from 'typeorm';
import { addPaging, invalid, notFound, readId } from '../http.js';
import { UserId } from './auth.js';
import { PageQuery, TextBody, WinBody } from './dto.js';
import { Space, Tag, Win, WinTag } from './entities.js';

const RELATIONS = { space: true, win_tags: { tag: true } };

@Injectable()
export class WinsService {
  constructor(
    @Inject(Win) private readonly wins: Repository<Win>,
    private readonly dataSource: DataSource,
  ) {}

  findAll(user_id: number, { page, per_page }: PageQuery): Promise<[Win[], number]> {
    return this.wins.findAndCount({
      where: { user_id },
      relations: RELATIONS,
      order: { occurred_on: 'DESC', id: 'DESC' },
      take: per_page,
      skip: (page - 1) * per_page,
    });
  }

  async create(user_id: number, { tag_names = [], ...input }: WinBody['win']): Promise<Win> {
    const { id } = await this.dataSource.transaction(async (manager) => {
      if (!(await manager.existsBy(Space, { user_id, id: input.space_id }))) {
        throw invalid('win.space_id', 'not_found', 'is not one of your spaces');
      }
      const occurred_on = input.occurred_on ?? new Date().toISOString().slice(0, 10);
      const win = await manager.save(manager.create(Win, { ...input, user_id, occurred_on }));
      const names = [...new Set(tag_names)];
      const tags = await manager.findBy(Tag, { user_id, name: In(names) });
      const missing = names.filter((name) => !tags.some((tag) => tag.name === name));
      tags.push(...(await manager.save(missing.map((name) => manager.create(Tag, { user_id, name })))));
      await manager.insert(
        WinTag,
        tags.map((tag) => ({ user_id, win_id: win.id, tag_id: tag.id, occurred_on })),
      );
      return win;
    });
    return this.wins.findOneOrFail({ where: { user_id, id }, relations: RELATIONS });
  }

  async update(user_id: number, id: number, { body }: TextBody['win']): Promise<Win> {
    const win = await this.wins.findOneBy({ user_id, id });
    if (win === null) throw notFound('Win');
    win.body = body;
    await this.wins.save(win);
    return this.wins.findOneOrFail({ where: { user_id, id }, relations: RELATIONS });
  }
}

@Controller('api/v1/wins')
export class WinsController {
  constructor(private readonly wins: WinsService) {}

  @Get()
  async findAll(
    @UserId() userId: number,
    @Query() query: PageQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Win[]> {
    const [wins, total] = await this.wins.findAll(userId, query);
    addPaging(request, reply, query.page, query.per_page, total);
    return wins;
  }

  @Post()
  async create(
    @UserId() userId: number,
    @Body() { win: input }: WinBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Win> {
    const win = await this.wins.create(userId, input);
    reply.header('location', `/api/v1/wins/${win.id}`);
    return win;
  }

  @Patch(':id')
  update(@UserId() userId: number, @Param('id') id: string, @Body() { win }: TextBody): Promise<Win> {
    return this.wins.update(userId, readId(id), win);
  }
}
