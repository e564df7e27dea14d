import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ChangesRepository } from '../changes/changes.repository.js';
import { Sql } from '../database/sql.js';
import { IdempotencyRepository } from '../idempotency/idempotency.repository.js';

/** Milliseconds between rounds, on each instance, and between the steps of one. */
const INTERVAL = 60_000;
const PAUSE = 100;

/** Deletes what is kept only for a while, some of it at a time. Instances may do so at the same time. */
@Injectable()
export class Housekeeping implements OnModuleInit, OnModuleDestroy {
  #timer?: NodeJS.Timeout;
  #isStopping = false;
  #round = Promise.resolve();

  /** What there is to delete; each returns whether there may be more. */
  readonly #chores: (() => Promise<boolean>)[];

  constructor(sql: Sql) {
    const keys = new IdempotencyRepository(sql);
    const changes = new ChangesRepository(sql);
    this.#chores = [() => keys.deleteExpired(), () => changes.forgetDeletions()];
  }

  onModuleInit(): void {
    this.#timer = setInterval(() => (this.#round = this.#round.then(() => this.#work())), INTERVAL).unref();
  }

  async onModuleDestroy(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await this.#round;
  }

  async #work(): Promise<void> {
    for (const chore of this.#chores) {
      try {
        while (!this.#isStopping && (await chore())) await sleep(PAUSE, undefined, { ref: false });
      } catch (error) {
        new Logger(Housekeeping.name).warn(`housekeeping will be tried again: ${String(error)}`);
      }
    }
  }
}
