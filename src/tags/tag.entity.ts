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
import { User } from '../auth/user.entity.js';

/** For `migration:generate` and the test that compares it with the migrations; the service runs SQL. */
@Entity('tags')
@Check('ck_tags_name', 'char_length(name) between 1 and 30 and name is nfc normalized')
@Check('ck_tags_wins_count', 'wins_count >= 0')
@Index('uq_tags_name', { synchronize: false }) // over fold_case(name), which a decorator can't say
@Index('idx_tags_name', ['userId', 'name'])
export class Tag {
  @PrimaryColumn({ type: 'bigint', name: 'user_id', primaryKeyConstraintName: 'pk_tags' })
  userId: number;

  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'pk_tags',
  })
  id: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_tags_user_id' })
  user: Relation<User>;

  /** Unique for the user once case is folded; sorted as people read it. */
  @Column({ type: 'text', collation: 'und-x-icu' })
  name: string;

  /** Kept by the database. */
  @Column({ type: 'integer', name: 'wins_count', default: 0 })
  winsCount: number;

  /** The user's revision when the row changed last. */
  @Column({ type: 'bigint', default: 0 })
  revision: number;

  /** The same for what wins show of it. */
  @Column({ type: 'bigint', name: 'name_revision', default: 0 })
  nameRevision: number;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
