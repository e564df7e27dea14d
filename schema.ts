import 'reflect-metadata';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from './src/config/config.js';
import { createDataSource } from './src/database/data-source.js';
import { migrate } from './src/database/migrate.js';
import { startEmbedded } from './src/database/embedded.js';
import { readSchema } from './src/database/schema.js';

/** `npm run schema`: runs all migrations on a database of its own, and writes down what they make. */
const folder = await mkdtemp(join(tmpdir(), 'wins-schema-'));
const embedded = await startEmbedded(folder);
const dataSource = createDataSource(embedded.url, loadConfig({}));
try {
  await dataSource.initialize();
  const queryRunner = dataSource.createQueryRunner();
  await migrate(dataSource, queryRunner);
  const lines = await readSchema(dataSource, queryRunner);
  const text = `/** What all migrations make, as \`readSchema()\` tells it. Written by \`npm run schema\`. */
export const SCHEMA = \`
${lines!.join('\n')}
\`;
`;
  await writeFile('src/database/migrations/schema.ts', text);
  await queryRunner.release();
} finally {
  if (dataSource.isInitialized) await dataSource.destroy();
  await embedded.stop();
  await rm(folder, { recursive: true });
}
