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
  Unique,
  type Relation,
} from 'typeorm';
import { User } from '../auth/user.entity.js';
import { Space } from '../spaces/space.entity.js';

/** For `migration:generate` and the test that compares it with the migrations; the service runs SQL. */
@Entity('wins')
@Check('ck_wins_body', 'char_length(body) between 1 and 10000')
@Unique('uq_wins_occurred_on', ['userId', 'id', 'occurredOn'])
@Index('idx_wins_occurred_on', ['userId', 'occurredOn', 'id'])
@Index('idx_wins_revision', ['userId', 'revision', 'id'])
@Index('idx_wins_space_id', ['userId', 'spaceId', 'occurredOn', 'id'])
@Index('idx_wins_created_at', ['userId', 'createdAt', 'id'])
@Index('idx_wins_updated_at', ['userId', 'updatedAt', 'id'])
@Index('idx_wins_folded_body', { synchronize: false }) // trigrams, which a decorator can't say
export class Win {
  @PrimaryColumn({ type: 'bigint', name: 'user_id', primaryKeyConstraintName: 'pk_wins' })
  userId: number;

  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'pk_wins',
  })
  id: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_wins_user_id' })
  user: Relation<User>;

  @Column({ type: 'bigint', name: 'space_id' })
  spaceId: number;

  @ManyToOne(() => Space, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'user_id', referencedColumnName: 'userId', foreignKeyConstraintName: 'fk_wins_space_id' },
    { name: 'space_id', referencedColumnName: 'id', foreignKeyConstraintName: 'fk_wins_space_id' },
  ])
  space: Relation<Space>;

  @Column({ type: 'text' })
  body: string;

  /** The body in the form that is searched. Kept by the database. */
  @Column({ type: 'text', name: 'folded_body', select: false })
  foldedBody: string;

  /** A calendar date `YYYY-MM-DD`, of no time zone. */
  @Column({ type: 'date', name: 'occurred_on' })
  occurredOn: string;

  /** The user's revision when the row changed last. */
  @Column({ type: 'bigint', default: 0 })
  revision: number;

  /** The user's revision when the win came from another space; 0 if it never did. */
  @Column({ type: 'bigint', name: 'space_revision', default: 0 })
  spaceRevision: number;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
