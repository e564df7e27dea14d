import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Repository } from 'typeorm';
import { addPaging, notFound, readId } from '../http.js';
import { UserId } from './auth.js';
import { PageQuery, SpaceBody } from './dto.js';
import { Space } from './entities.js';

@Injectable()
export class SpacesService {
  constructor(@Inject(Space) private readonly spaces: Repository<Space>) {}

  findAll(user_id: number, { page, per_page }: PageQuery): Promise<[Space[], number]> {
    return this.spaces.findAndCount({
      where: { user_id },
      order: { position: 'ASC', id: 'ASC' },
      take: per_page,
      skip: (page - 1) * per_page,
    });
  }

  async findOne(user_id: number, id: number): Promise<Space> {
    const space = await this.spaces.findOneBy({ user_id, id });
    if (space === null) throw notFound('Space');
    return space;
  }

  /** The plan's limit and the place at the end are the database's own (a trigger). */
  async create(user_id: number, input: SpaceBody['space']): Promise<Space> {
    const { id } = await this.spaces.save(this.spaces.create({ ...input, user_id }));
    return this.findOne(user_id, id);
  }

  async remove(user_id: number, id: number): Promise<void> {
    const { affected } = await this.spaces.delete({ user_id, id });
    if (affected === 0) throw notFound('Space');
  }
}

@Controller('api/v1/spaces')
export class SpacesController {
  constructor(private readonly spaces: SpacesService) {}

  @Get()
  async findAll(
    @UserId() userId: number,
    @Query() query: PageQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Space[]> {
    const [spaces, total] = await this.spaces.findAll(userId, query);
    addPaging(request, reply, query.page, query.per_page, total);
    return spaces;
  }

  @Get(':id')
  findOne(@UserId() userId: number, @Param('id') id: string): Promise<Space> {
    return this.spaces.findOne(userId, readId(id));
  }

  @Post()
  async create(
    @UserId() userId: number,
    @Body() body: SpaceBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Space> {
    const space = await this.spaces.create(userId, body.space);
    reply.header('location', `/api/v1/spaces/${space.id}`);
    return space;
  }

  @Delete(':id')
  @HttpCode(204)
  remove(@UserId() userId: number, @Param('id') id: string): Promise<void> {
    return this.spaces.remove(userId, readId(id));
  }
}
