import 'reflect-metadata';
import {
  Catch,
  ClassSerializerInterceptor,
  Controller,
  Get,
  HttpException,
  Module,
  ValidationPipe,
  type ArgumentsHost,
  type ExceptionFilter,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource, QueryFailedError } from 'typeorm';
import {
  addHeaders,
  DATABASE_URL,
  genReqId,
  HOST,
  LOG_LEVEL,
  POOL_SIZE,
  PORT,
  Refusal,
  refusalOf,
  RequestLog,
  sendRefusal,
} from '../http.js';
import { BearerGuard, BearerStrategy } from './auth.js';
import { ApiToken, Space, Tag, User, Win, WinTag } from './entities.js';
import { SpacesController, SpacesService } from './spaces.js';
import { TagsController, TagsService } from './tags.js';
import { WinsController, WinsService } from './wins.js';

/** The same service as the textbook has it: Nest, repositories, class-validator and the serializer. */

@Catch()
class RefusalFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const known =
      error instanceof QueryFailedError ? refusalOf(error.driverError.constraint, error.driverError.detail) : error;
    const status = error instanceof HttpException ? error.getStatus() : 500;
    if (!(known instanceof Refusal) && status === 500) request.log.error({ err: error }, 'request failed');
    const refusal = known instanceof Refusal ? known : new Refusal(status, 'refused', 'The request is not valid');
    sendRefusal(request, host.switchToHttp().getResponse<FastifyReply>(), refusal);
  }
}

@Controller('healthz')
class HealthController {
  @Get()
  isAlive() {
    return { status: 'ok' };
  }
}

@Module({
  controllers: [HealthController, TagsController, SpacesController, WinsController],
  providers: [
    {
      provide: DataSource,
      useFactory: () =>
        new DataSource({
          type: 'postgres',
          url: DATABASE_URL,
          entities: [User, ApiToken, Tag, Space, Win, WinTag],
          installExtensions: false,
          parseInt8: true,
          poolSize: POOL_SIZE,
        }).initialize(),
    },
    ...[ApiToken, Tag, Space, Win].map((entity) => ({
      provide: entity,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => dataSource.getRepository<ApiToken | Tag | Space | Win>(entity),
    })),
    BearerStrategy,
    TagsService,
    SpacesService,
    WinsService,
    { provide: APP_GUARD, useClass: BearerGuard },
    { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true, whitelist: true, errorHttpStatusCode: 422 }) },
    { provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor },
    { provide: APP_FILTER, useClass: RefusalFilter },
  ],
})
class AppModule implements OnApplicationShutdown {
  constructor(private readonly dataSource: DataSource) {}

  onApplicationShutdown(): Promise<void> {
    return this.dataSource.destroy();
  }
}

const adapter = new FastifyAdapter({ logger: { level: LOG_LEVEL }, logController: new RequestLog(), genReqId });
const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, { logger: ['warn', 'error'] });
adapter.getInstance().decorateRequest('userId', null);
addHeaders(adapter.getInstance());
app.enableShutdownHooks();
await app.listen(Number(PORT), HOST);
