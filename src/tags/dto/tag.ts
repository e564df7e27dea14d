import { ApiProperty } from '@nestjs/swagger';
import { Count, Id, Time } from '../../openapi/schemas.js';
import { Name, Wrapper } from '../../http/fields.js';

export const MAX_TAG_NAME = 30;

/** A label on wins. */
export class Tag {
  @Id()
  id: number;

  @ApiProperty({ type: 'string', minLength: 1, maxLength: MAX_TAG_NAME, example: 'Launch' })
  name: string;

  @Count('Number of wins that use the tag')
  wins_count: number;

  @Time('When the tag was made')
  created_at: string;
}

export class TagInput {
  @Name({
    max: MAX_TAG_NAME,
    required: true,
    example: 'Launch',
    description: 'Trimmed and put in NFC. `Launch` and `launch` are the same name.',
  })
  name: string;
}

/** The body of create and rename. */
export class TagBody {
  @Wrapper(() => TagInput)
  tag: TagInput;
}
