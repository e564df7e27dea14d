import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Has statements on wins planned for users with many. One plan serves all users, made for the average; where that is a
 * few hundred wins, it reads all wins of a user to change one. A plan for ten thousand looks up each by its key, which
 * is right for few, too.
 */
export class Statistics1766000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table wins alter column user_id set (n_distinct = -0.0001);
      alter table win_tags alter column user_id set (n_distinct = -0.0001);
      analyze wins (user_id);
      analyze win_tags (user_id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table wins alter column user_id reset (n_distinct);
      alter table win_tags alter column user_id reset (n_distinct);
      analyze wins (user_id);
      analyze win_tags (user_id);
    `);
  }
}
