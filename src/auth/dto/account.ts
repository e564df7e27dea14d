import { ApiProperty } from '@nestjs/swagger';
import { Count, MAX_INT32, Time } from '../../openapi/schemas.js';

import { LIMITS } from '../limits.js';

export class Limit {
  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: MAX_INT32,
    example: 3,
    description: 'How many there may be',
  })
  max: number;

  @Count('How many there are', 1)
  used: number;
}

export class Limits {
  @ApiProperty({ type: () => Limit, description: `Spaces: what the plan allows, and never more than ${LIMITS.spaces}` })
  spaces: Limit;

  @ApiProperty({ type: () => Limit, example: { max: LIMITS.tags, used: 10 }, description: 'Tags' })
  tags: Limit;

  @ApiProperty({
    type: () => Limit,
    example: { max: LIMITS.tokens, used: 1 },
    description: 'API tokens that have not expired',
  })
  tokens: Limit;
}

/** The caller's own account. */
export class Account {
  @ApiProperty({ type: 'string', format: 'email', example: 'demo@example.com' })
  email: string;

  @ApiProperty({ type: 'string', enum: ['free', 'pro'], example: 'free' })
  plan: string;

  @ApiProperty({ type: () => Limits, description: 'How much there may be, and how much of it is used' })
  limits: Limits;

  @Time('When the account was created')
  created_at: string;
}
