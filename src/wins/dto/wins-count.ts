import { ApiProperty, getSchemaPath, ApiExtraModels } from '@nestjs/swagger';
import { MAX_INT32 } from '../../openapi/schemas.js';
import { TagOfWin } from './win.js';

/** How many wins there are in a period, in a space or with a tag. */
@ApiExtraModels(TagOfWin)
export class WinsCount {
  @ApiProperty({
    oneOf: [{ type: 'string' }, { $ref: getSchemaPath(TagOfWin) }],
    example: '2026-03',
    description:
      'The period, such as `2026-03-14`, `2026-W11`, `2026-03` or `2026`; of a space or tag, its `id` and `name`',
  })
  key: string | TagOfWin;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, maximum: MAX_INT32, example: 12 })
  wins_count: number;
}
