import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsDateString,
  IsDefined,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  Validate,
  ValidateNested,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { isEmoji } from '../http.js';

const clamp = (max: number) => Transform(({ value }) => Math.min(Math.max(Number(value), 1), max));
const trimmed = (value: unknown) => (typeof value === 'string' ? value.trim().normalize('NFC') : value);
const Trim = () => Transform(({ value }) => trimmed(value));

@ValidatorConstraint({ name: 'isEmoji' })
class IsEmoji implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return typeof value === 'string' && isEmoji(value);
  }
}

export class PageQuery {
  @clamp(2_147_483_647)
  @IsInt()
  page = 1;

  @clamp(100)
  @IsInt()
  per_page = 25;
}

class TagInput {
  @Trim()
  @IsString()
  @IsNotEmpty()
  @MaxLength(30)
  @Matches(/^\P{Cc}*$/u)
  name: string;
}

export class TagBody {
  @IsDefined()
  @ValidateNested()
  @Type(() => TagInput)
  tag: TagInput;
}

class SpaceInput {
  @Trim()
  @IsString()
  @IsNotEmpty()
  @MaxLength(100)
  @Matches(/^\P{Cc}*$/u)
  name: string;

  @Transform(({ value }) => (value === '' ? null : value))
  @IsOptional()
  @Validate(IsEmoji)
  emoji?: string | null;

  @IsOptional()
  @IsInt()
  @Min(-2_147_483_648)
  @Max(2_147_483_647)
  position?: number;
}

export class SpaceBody {
  @IsDefined()
  @ValidateNested()
  @Type(() => SpaceInput)
  space: SpaceInput;
}

class TextInput {
  @IsString()
  @MaxLength(10_000)
  @Matches(/\S/)
  body: string;
}

export class TextBody {
  @IsDefined()
  @ValidateNested()
  @Type(() => TextInput)
  win: TextInput;
}

class WinInput extends TextInput {
  @IsInt()
  space_id: number;

  @IsOptional()
  @IsDateString({ strict: true })
  occurred_on?: string;

  @Transform(({ value }) => (Array.isArray(value) ? value.map(trimmed).filter((name) => name !== '') : value))
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @IsString({ each: true })
  @MaxLength(30, { each: true })
  tag_names?: string[];
}

export class WinBody {
  @IsDefined()
  @ValidateNested()
  @Type(() => WinInput)
  win: WinInput;
}
