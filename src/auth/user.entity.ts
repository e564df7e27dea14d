import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import { Plan } from './plan.entity.js';

/** For `migration:generate` and the test that compares it with the migrations; the service runs SQL. */
@Entity('users')
@Check('ck_users_email', `email ~ '^[^[:space:]@]+@[^[:space:]@]+$' and char_length(email) <= 254`)
@Check('ck_users_tags_count', 'tags_count >= 0')
@Index('uq_users_email', { synchronize: false }) // over lower(email), which a decorator can't say
export class User {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'pk_users',
  })
  id: number;

  @Column({ type: 'text' })
  email: string;

  @ManyToOne(() => Plan, { nullable: false })
  @JoinColumn({ name: 'plan', foreignKeyConstraintName: 'fk_users_plan' })
  planRow: Relation<Plan>;

  @Column({ type: 'text', name: 'plan', default: 'free' })
  plan: string;

  /** Kept by the database. */
  @Column({ type: 'integer', name: 'tags_count', default: 0 })
  tagsCount: number;

  /** Raised by every transaction that changes the user's spaces, tags or wins. */
  @Column({ type: 'bigint', default: 0 })
  revision: number;

  /** The transaction that raised the revision last. */
  @Column({ type: 'bigint', name: 'changed_in', default: 0 })
  changedIn: number;

  /** Deletions up to this revision are no longer known. */
  @Column({ type: 'bigint', name: 'forgotten_revision', default: 0 })
  forgottenRevision: number;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
