import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  type Relation,
} from 'typeorm';
import { User } from '../auth/user.entity.js';

/** For `migration:generate` and the test that compares it with the migrations; the service runs SQL. */
@Entity('deletions')
@Check('ck_deletions_kind', `kind in ('space', 'tag', 'win')`)
@Index('idx_deletions_revision', ['userId', 'revision', 'kind', 'id'])
@Index('idx_deletions_deleted_at', ['deletedAt'])
export class Deletion {
  @PrimaryColumn({ type: 'bigint', name: 'user_id', primaryKeyConstraintName: 'pk_deletions' })
  userId: number;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_deletions' })
  kind: string;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'pk_deletions' })
  id: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_deletions_user_id' })
  user: Relation<User>;

  /** The user's revision when it was deleted. */
  @Column({ type: 'bigint' })
  revision: number;

  /** For a win that went with a space that it had moved to: at which revision; copies from after that know it there. */
  @Column({ type: 'bigint', name: 'moved_revision', nullable: true })
  movedRevision: number | null;

  @CreateDateColumn({ type: 'timestamptz', name: 'deleted_at', precision: 3, default: () => 'now()' })
  deletedAt: Date;
}
