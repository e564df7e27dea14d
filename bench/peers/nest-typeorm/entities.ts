import { Exclude, Expose, Transform } from 'class-transformer';
import {
  Column,
  CreateDateColumn,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';

/** The tables as a textbook maps them: fields named as the API shows them, in its order, and decorators for the rest. */

@Entity('users')
export class User {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column({ type: 'text' })
  email: string;

  @Column({ type: 'text' })
  plan: string;
}

@Entity('api_tokens')
export class ApiToken {
  @PrimaryColumn({ type: 'bigint' })
  user_id: number;

  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id' })
  user: Relation<User>;

  @Column({ type: 'bytea' })
  digest: Buffer;

  @Column({ type: 'text' })
  scope: string;

  @Column({ type: 'timestamptz', nullable: true })
  expires_at: Date | null;
}

@Entity('tags')
export class Tag {
  @Exclude()
  @PrimaryColumn({ type: 'bigint' })
  user_id: number;

  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'integer', default: 0 })
  wins_count: number;

  @CreateDateColumn({ type: 'timestamptz' })
  created_at: Date;
}

@Entity('spaces')
export class Space {
  @Exclude()
  @PrimaryColumn({ type: 'bigint' })
  user_id: number;

  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', nullable: true })
  emoji: string | null;

  @Column({ type: 'integer' })
  position: number;

  @Column({ type: 'integer', default: 0 })
  wins_count: number;

  @CreateDateColumn({ type: 'timestamptz' })
  created_at: Date;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  updated_at: Date;
}

@Entity('wins')
export class Win {
  @Exclude()
  @PrimaryColumn({ type: 'bigint' })
  user_id: number;

  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column({ type: 'text' })
  body: string;

  @Column({ type: 'date' })
  occurred_on: string;

  @Exclude()
  @Column({ type: 'bigint' })
  space_id: number;

  @Transform(({ value: { id, name, emoji } }: { value: Space }) => ({ id, name, emoji }))
  @ManyToOne(() => Space)
  @JoinColumn([
    { name: 'user_id', referencedColumnName: 'user_id' },
    { name: 'space_id', referencedColumnName: 'id' },
  ])
  space: Relation<Space>;

  @Expose({ name: 'tags' })
  @Transform(({ value }: { value: WinTag[] }) => tagsOf(value))
  @OneToMany(() => WinTag, ({ win }) => win)
  win_tags: Relation<WinTag>[];

  @CreateDateColumn({ type: 'timestamptz' })
  created_at: Date;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  updated_at: Date;
}

@Entity('win_tags')
export class WinTag {
  @PrimaryColumn({ type: 'bigint' })
  user_id: number;

  @PrimaryColumn({ type: 'bigint' })
  win_id: number;

  @PrimaryColumn({ type: 'bigint' })
  tag_id: number;

  @Column({ type: 'date' })
  occurred_on: string;

  @ManyToOne(() => Win, ({ win_tags }) => win_tags)
  @JoinColumn([
    { name: 'user_id', referencedColumnName: 'user_id' },
    { name: 'win_id', referencedColumnName: 'id' },
  ])
  win: Relation<Win>;

  @ManyToOne(() => Tag)
  @JoinColumn([
    { name: 'user_id', referencedColumnName: 'user_id' },
    { name: 'tag_id', referencedColumnName: 'id' },
  ])
  tag: Relation<Tag>;
}

const { compare } = new Intl.Collator('und');

const tagsOf = (links: WinTag[]) =>
  links.map(({ tag: { id, name } }) => ({ id, name })).toSorted((a, b) => compare(a.name, b.name) || a.id - b.id);
