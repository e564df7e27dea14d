import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { SCOPES, type Scope } from '../../common/caller.js';
import { LimitReachedError } from '../../common/errors.js';
import { FutureTime, Name, OneOf, Wrapper } from '../../http/fields.js';
import { invalid } from '../../openapi/errors.js';
import { Id, Time } from '../../openapi/schemas.js';
import { outlivesParent } from '../auth.errors.js';
import { LIMITS, MAX_TOKEN_NAME } from '../limits.js';

/** An API token without its secret. */
export class Token {
  @Id()
  id: number;

  @ApiProperty({ type: 'string', minLength: 1, maxLength: MAX_TOKEN_NAME, example: 'Mobile app' })
  name: string;

  @ApiProperty({ type: 'string', enum: [...SCOPES], example: 'write', description: '`read` may only GET and HEAD' })
  scope: Scope;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    example: '2030-01-31T12:00:00.000Z',
    description: 'When the token expires; null is never',
  })
  expires_at: string | null;

  @Time('When the token was created')
  created_at: string;
}

/** A token that was just created. */
export class IssuedToken extends Token {
  @ApiProperty({
    type: 'string',
    pattern: '^wins_[0-9a-f]{64}$',
    example: `wins_${'0123456789abcdef'.repeat(4)}`,
    description: 'The secret. It is shown only once; only a hash is stored.',
  })
  token: string;
}

export class TokenInput {
  @Name({ max: MAX_TOKEN_NAME, required: true, example: 'Mobile app', description: 'What the token is for' })
  name: string;

  @OneOf({
    choices: SCOPES,
    required: false,
    example: 'read',
    description: '`read` may only GET and HEAD; `write` if omitted',
  })
  scope?: Scope;

  @FutureTime({
    required: false,
    example: '2030-01-31T12:00:00Z',
    description:
      'When the token expires; null is never. If omitted, it inherits the expiry of the token that created it, which it can never outlive.',
  })
  expires_at?: string | null;
}

@ApiSchema({ name: 'CreateTokenRequest' })
export class CreateToken {
  @Wrapper(() => TokenInput)
  token: TokenInput;
}

export const INVALID_TOKEN = invalid(
  'InvalidToken',
  'body',
  CreateToken,
  {
    blank: { token: { name: ' ' } },
    not_a_choice: { token: { name: 'Laptop', scope: 'admin' } },
    not_a_time: { token: { name: 'Laptop', expires_at: 'tomorrow' } },
    in_the_past: { token: { name: 'Laptop', expires_at: '2020-01-31T12:00:00Z' } },
    wrapper_missing: {},
  },
  {
    limit_reached: new LimitReachedError('token', LIMITS.tokens),
    outlives_parent: outlivesParent(new Date('2030-01-31T12:00:00Z')),
  },
);
