import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../common/caller.js';
import type { Created, Json, Page } from '../common/json.js';
import { CurrentCaller } from '../http/current-caller.js';
import { IdPipe } from '../http/id.pipe.js';
import { PageQuery } from '../http/pagination.js';
import { ALREADY_CREATED, INVALID_PAGE, notFound } from '../openapi/errors.js';
import { Operation } from '../openapi/operation.js';
import { AuthService } from './auth.service.js';
import { Account } from './dto/account.js';
import { CreateToken, INVALID_TOKEN, IssuedToken, Token } from './dto/token.js';

const TOKEN_NOT_FOUND = notFound('Token');

@ApiTags('Account')
@Controller('api/v1')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Operation(
    'getMe',
    'Show your account',
    'Your email and plan, how many spaces, tags and tokens you may have, and how many you have.',
    { returns: Account },
  )
  @Get('me')
  getMe(@CurrentCaller() caller: Caller): Promise<Json<Account>> {
    return this.auth.getAccount(caller);
  }

  @Operation(
    'listTokens',
    'List your API tokens',
    'Oldest first. Secrets are never shown again; only a hash is stored.',
    { returns: [Token], errors: [INVALID_PAGE] },
  )
  @Get('tokens')
  list(@CurrentCaller() caller: Caller, @Query() page: PageQuery): Promise<Page<Token>> {
    return this.auth.listTokens(caller, page);
  }

  @Operation('getToken', 'Get an API token', 'One of your API tokens, without its secret.', {
    returns: Token,
    errors: [TOKEN_NOT_FOUND],
  })
  @Get('tokens/:id')
  get(@CurrentCaller() caller: Caller, @Param('id', IdPipe) id: number): Promise<Json<Token>> {
    return this.auth.getToken(caller, id);
  }

  @Operation(
    'createToken',
    'Create an API token',
    "The secret is only in this response. A token that expires can't create one that outlives it; " +
      "a token of scope `read` can't create any.",
    { returns: IssuedToken, errors: [INVALID_TOKEN, ALREADY_CREATED] },
  )
  @Post('tokens')
  create(@CurrentCaller() caller: Caller, @Body() { token }: CreateToken): Promise<Created<IssuedToken>> {
    return this.auth.createToken(caller, token);
  }

  @Operation(
    'revokeToken',
    'Revoke an API token',
    'Every instance rejects it within a second. A token may revoke itself.',
    { errors: [TOKEN_NOT_FOUND] },
  )
  @Delete('tokens/:id')
  revoke(@CurrentCaller() caller: Caller, @Param('id', IdPipe) id: number): Promise<void> {
    return this.auth.revokeToken(caller, id);
  }
}
