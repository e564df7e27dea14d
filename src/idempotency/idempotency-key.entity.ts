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

/** For `migration:generate` and the test that compares it with the migrations; the service runs SQL. */
@Entity('idempotency_keys')
@Check('ck_idempotency_keys_key', `key ~ '^[!-~]{1,255}$'`)
@Index('idx_idempotency_keys_created_at', ['createdAt'])
export class IdempotencyKey {
  @PrimaryColumn({ type: 'bigint', name: 'user_id', primaryKeyConstraintName: 'pk_idempotency_keys' })
  userId: number;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_idempotency_keys' })
  key: string;

  @ManyToOne('User', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_idempotency_keys_user_id' })
  user: Relation<object>;

  /** The digest of what was asked for. */
  @Column({ type: 'bytea' })
  fingerprint: Buffer;

  /** The response, once there is one. */
  @Column({ type: 'integer', nullable: true })
  status: number | null;

  @Column({ type: 'text', nullable: true })
  location: string | null;

  @Column({ type: 'text', nullable: true })
  body: string | null;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
