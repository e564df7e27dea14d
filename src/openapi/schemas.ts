import { ApiProperty } from '@nestjs/swagger';

/** The schemas of response fields, for the document; PostgreSQL writes the values themselves. */

const MAX_ID = Number.MAX_SAFE_INTEGER;
export const MAX_INT32 = 2_147_483_647;

export const Id = (description = 'Identifier') =>
  ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 1,
    maximum: MAX_ID,
    example: 7,
    description,
  });

export const Ids = (description: string) =>
  ApiProperty({
    type: 'array',
    items: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_ID },
    example: [2, 3],
    description,
  });

export const Count = (description: string, example = 12) =>
  ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: MAX_INT32,
    example,
    description,
  });

export const Time = (description: string) =>
  ApiProperty({
    type: 'string',
    format: 'date-time',
    example: '2026-03-14T09:26:53.589Z',
    description,
  });
