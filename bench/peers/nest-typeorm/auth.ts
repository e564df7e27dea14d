import { createHash } from 'node:crypto';
import { createParamDecorator, Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-http-bearer';
import { Repository } from 'typeorm';
import { Refusal } from '../http.js';
import { ApiToken } from './entities.js';

@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(@Inject(ApiToken) private readonly tokens: Repository<ApiToken>) {
    super();
  }

  async validate(token: string): Promise<ApiToken | false> {
    const digest = createHash('sha256').update(token).digest();
    const found = await this.tokens.findOne({ where: { digest }, relations: { user: true } });
    return found !== null && (found.expires_at === null || found.expires_at > new Date()) ? found : false;
  }
}

@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user: ApiToken }>();
    if (request.url === '/healthz') return true;
    await super.canActivate(context);
    if (request.user.scope !== 'write' && request.method !== 'GET') {
      throw new Refusal(403, 'insufficient_scope', 'This token may only read');
    }
    request.userId = request.user.user_id;
    return true;
  }

  override handleRequest<T>(error: unknown, token: T | false): T {
    if (error) throw error;
    if (!token) throw new Refusal(401, 'unauthenticated', 'Authentication required');
    return token;
  }
}

export const UserId = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().userId,
);
