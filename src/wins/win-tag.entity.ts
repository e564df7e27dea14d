import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Tag } from '../tags/tag.entity.js';
import { Win } from './win.entity.js';

/** For `migration:generate` and the test that compares it with the migrations; the service runs SQL. */
@Entity('win_tags')
@Index('idx_win_tags_tag_id', ['userId', 'tagId', 'occurredOn', 'winId'])
export class WinTag {
  @PrimaryColumn({ type: 'bigint', name: 'user_id', primaryKeyConstraintName: 'pk_win_tags' })
  userId: number;

  @PrimaryColumn({ type: 'bigint', name: 'win_id', primaryKeyConstraintName: 'pk_win_tags' })
  winId: number;

  @PrimaryColumn({ type: 'bigint', name: 'tag_id', primaryKeyConstraintName: 'pk_win_tags' })
  tagId: number;

  /** The win's own date, held equal by the foreign key, so that one index yields a tag's wins in order. */
  @Column({ type: 'date', name: 'occurred_on' })
  occurredOn: string;

  @ManyToOne(() => Win, { onDelete: 'CASCADE', onUpdate: 'CASCADE' })
  @JoinColumn([
    { name: 'user_id', referencedColumnName: 'userId', foreignKeyConstraintName: 'fk_win_tags_win_id' },
    { name: 'win_id', referencedColumnName: 'id', foreignKeyConstraintName: 'fk_win_tags_win_id' },
    { name: 'occurred_on', referencedColumnName: 'occurredOn', foreignKeyConstraintName: 'fk_win_tags_win_id' },
  ])
  win: Relation<Win>;

  @ManyToOne(() => Tag, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'user_id', referencedColumnName: 'userId', foreignKeyConstraintName: 'fk_win_tags_tag_id' },
    { name: 'tag_id', referencedColumnName: 'id', foreignKeyConstraintName: 'fk_win_tags_tag_id' },
  ])
  tag: Relation<Tag>;
}
