import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import type { Scope } from '../common/caller.js';
import { User } from './user.entity.js';

/** For `migration:generate` and the test that compares it with the migrations; the service runs SQL. */
@Entity('api_tokens')
@Check('ck_api_tokens_digest', 'octet_length(digest) = 32')
@Check('ck_api_tokens_name', 'char_length(name) between 1 and 100')
@Check('ck_api_tokens_scope', `scope in ('read', 'write')`)
@Index('idx_api_tokens_digest', ['digest'])
@Index('idx_api_tokens_expires_at', ['userId', 'expiresAt'])
export class ApiToken {
  @PrimaryColumn({ type: 'bigint', name: 'user_id', primaryKeyConstraintName: 'pk_api_tokens' })
  userId: number;

  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'pk_api_tokens',
  })
  id: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_api_tokens_user_id' })
  user: Relation<User>;

  /** SHA-256 of the token. The token itself is nowhere. */
  @Column({ type: 'bytea' })
  digest: Buffer;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  scope: Scope;

  /** `null` is never. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt: Date | null;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
