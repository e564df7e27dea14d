import { ApiProperty } from '@nestjs/swagger';
import { Count, MAX_INT32, Time } from '../../common/schemas.js';

export class Limit {
  @ApiProperty({
    type: 'integer',
    format: 'int32',
    nullable: true,
    minimum: 0,
    maximum: MAX_INT32,
    example: 3,
    description: 'How many there may be; null is no limit',
  })
  max: number | null;

  @Count('How many there are', 1)
  used: number;
}

export class Limits {
  @ApiProperty({ type: () => Limit, description: 'Spaces' })
  spaces: Limit;
}

/** The caller's own account. */
export class Account {
  @ApiProperty({ type: 'string', format: 'email', example: 'demo@example.com' })
  email: string;

  @ApiProperty({ type: 'string', enum: ['free', 'pro'], example: 'free' })
  plan: string;

  @ApiProperty({ type: () => Limits, description: 'What the plan allows and how much of it is used' })
  limits: Limits;

  @Time('When the account was made')
  created_at: string;
}
