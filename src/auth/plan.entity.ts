import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** For `migration:generate` and the test that compares it with the migrations; the service runs SQL. */
@Entity('plans')
@Check('ck_plans_max_spaces', 'max_spaces >= 0')
export class Plan {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_plans' })
  name: string;

  /** How many spaces a user may have; `null` is as many as any user may have (`LIMITS`). */
  @Column({ type: 'integer', name: 'max_spaces', nullable: true })
  maxSpaces: number | null;
}
