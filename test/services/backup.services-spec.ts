import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client as Session } from 'pg';
import { startApp } from '../harness/app.js';

/** Needs `pg_dump` and `pg_restore`, no older than the server of TEST_DATABASE_URL. */

const run = promisify(execFile);

it('answers the same from a restored dump', async () => {
  const app = await startApp();
  const ann = await app.make.person({ plan: 'pro' });
  const { body: space } = await app
    .as(ann)
    .post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work', emoji: '🚀' } });
  for (const body of ['Größe', 'Second']) {
    await app.as(ann).post('/api/v1/wins', { win: { body, space_id: space.id, tag_names: ['Éclair', 'apple'] } });
  }
  const questions = ['me', 'tags', 'spaces', 'wins', 'wins?tag=APPLE', 'wins?q=grösse'].map(
    (path) => `/api/v1/${path}`,
  );
  const answers = await Promise.all(questions.map((path) => app.as(ann).get(path)));
  await app.close();

  const folder = await mkdtemp(join(tmpdir(), 'wins-backup-'));
  await chmod(folder, 0o777);
  const url = process.env.TEST_DATABASE_URL!;
  const name = `restored_${randomUUID().replaceAll('-', '')}`;
  const restoredUrl = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const session = new Session({ connectionString: url });
  await session.connect();
  await session.query(`create database ${name}`);
  try {
    await run('pg_dump', ['--format=custom', '--no-owner', `--file=${join(folder, 'wins.dump')}`, url]);
    await run('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${restoredUrl}`, join(folder, 'wins.dump')]);
    const restored = await startApp({ DATABASE_URL: restoredUrl });
    const again = await Promise.all(questions.map((path) => restored.as(ann).get(path)));
    expect(again.map(({ text }) => text)).toEqual(answers.map(({ text }) => text));
    const more = await restored.as(ann).post('/api/v1/tags', { tag: { name: 'New' } });
    expect(more.status).toBe(201);
    await restored.close();
  } finally {
    await session.query(`drop database ${name} with (force)`);
    await session.end();
    await rm(folder, { recursive: true });
  }
});
