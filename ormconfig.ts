/**
 * The data source for TypeORM's own command line (`npm run migration:generate`, `migration:revert`).
 * The service itself uses `src/database`.
 */
import { loadConfig } from './src/config/config.js';
import { startEmbedded } from './src/database/embedded.js';
import { createDataSource } from './src/database/data-source.js';

const config = loadConfig();

export default createDataSource(config.DATABASE_URL ?? (await startEmbedded(config.DATA_DIR)).url, config);
