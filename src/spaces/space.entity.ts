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
@Entity('spaces')
@Check('ck_spaces_name', 'char_length(name) between 1 and 100 and name is nfc normalized')
@Check('ck_spaces_emoji', 'char_length(emoji) between 1 and 32')
@Check('ck_spaces_wins_count', 'wins_count >= 0')
@Index('idx_spaces_position', ['userId', 'position', 'id'])
export class Space {
  @PrimaryColumn({ type: 'bigint', name: 'user_id', primaryKeyConstraintName: 'pk_spaces' })
  userId: number;

  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'pk_spaces',
  })
  id: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_spaces_user_id' })
  user: Relation<User>;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', nullable: true })
  emoji: string | null;

  /** Lower is shown first; if omitted on insert, the database puts the space last. */
  @Column({ type: 'integer' })
  position: number;

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

  /** Moved by the database, and only when name, emoji or position changed. */
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
