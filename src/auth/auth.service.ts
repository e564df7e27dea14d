import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller.js';
import { found, NotFoundError } from '../common/errors.js';
import { Issued, type Created, type Json, type Page } from '../common/json.js';
import type { Owner } from '../database/sql.js';
import type { PageQuery } from '../http/pagination.js';
import { callerIsGone, outlivesParent } from './auth.errors.js';
import type { Account } from './dto/account.js';
import type { IssuedToken, Token, TokenInput } from './dto/token.js';
import { createToken, digestOf, isToken, userIdOf } from './token.js';
import { TokensRepository, type FoundCaller, type NewToken, type TokenSummary } from './tokens.repository.js';
import { UsersRepository, type UserSummary } from './users.repository.js';

/** Who may come in: users, their plans and their API tokens. */
@Injectable()
export class AuthService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: TokensRepository,
  ) {}

  /** The caller a token stands for; `undefined` if it is malformed, unknown, expired or revoked. */
  async findCaller(token: string): Promise<FoundCaller | undefined> {
    if (!isToken(token)) return undefined;
    const [digest, userId] = [digestOf(token), userIdOf(token)];
    const caller = userId === undefined ? undefined : await this.tokens.findCaller(digest, userId);
    return caller ?? this.tokens.findCaller(digest);
  }

  /** @throws AuthenticationError if the caller was deleted in the meantime */
  async getAccount(caller: Caller): Promise<Json<Account>> {
    const account = await this.users.findAccount(caller);
    if (account === undefined) throw callerIsGone();
    return account;
  }

  /** All tokens of a user, for the operator. */
  allTokens(userId: number): Promise<TokenSummary[]> {
    return this.tokens.all(userId);
  }

  listTokens(caller: Caller, page: PageQuery): Promise<Page<Token>> {
    return this.tokens.list(caller, page);
  }

  /** @throws NotFoundError if the caller has no such token */
  async getToken(caller: Caller, id: number): Promise<Json<Token>> {
    return found('Token', await this.tokens.find(caller, id));
  }

  /**
   * Creates a token for the caller. Only tokens of scope `write` get here, so none gets more scope than its parent has;
   * nor does one outlive its parent.
   *
   * @throws ValidationError if it would expire later than the caller's own token
   */
  async createToken(caller: Caller, input: TokenInput): Promise<Issued<IssuedToken>> {
    const { expires_at = caller.expiresAt } = input;
    const expiresAt = expires_at === null ? null : new Date(expires_at);
    if (caller.expiresAt !== null && (expiresAt === null || expiresAt > caller.expiresAt)) {
      throw outlivesParent(caller.expiresAt);
    }
    const scope = input.scope ?? 'write';
    const { created, token } = await this.issueToken(caller, { name: input.name, scope, expiresAt });
    return new Issued(JSON.stringify({ ...JSON.parse(created.text), token }), created.id, created);
  }

  /** @throws NotFoundError if there is no such token */
  async revokeToken(owner: Owner, id: number): Promise<void> {
    if (!(await this.tokens.delete(owner, id))) throw new NotFoundError('Token');
  }

  /**
   * Creates a token for a user.
   *
   * @returns what was stored, and the secret, which was not
   * @throws ValidationError if the user has the maximum number of tokens (`ck_api_tokens_limit`)
   */
  async issueToken(owner: Owner, input: NewToken): Promise<{ created: Created<Token>; token: string }> {
    const token = createToken(owner.userId);
    return { created: await this.tokens.insert(owner, digestOf(token), input), token };
  }

  /** @throws NotFoundError if nobody has this email */
  async getUser(email: string): Promise<UserSummary> {
    return found(`User ${email}`, await this.users.findByEmail(email));
  }

  listUsers(): Promise<UserSummary[]> {
    return this.users.list();
  }

  /** @throws DatabaseError if the email is taken or invalid, or the plan doesn't exist */
  createUser(email: string, plan: string): Promise<UserSummary> {
    return this.users.insert(email, plan);
  }

  /** A lower plan deletes nothing: what exceeds its limit stays. */
  async setPlan(email: string, plan: string): Promise<void> {
    await this.users.setPlan((await this.getUser(email)).id, plan);
  }

  /** Deletes a user with everything they have. */
  async deleteUser(email: string): Promise<void> {
    await this.users.delete((await this.getUser(email)).id);
  }
}
