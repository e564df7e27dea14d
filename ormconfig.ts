/**
 * The data source for TypeORM's own command line (`npm run migration:generate`).
 * The service itself uses `src/database`.
 */
import { loadConfig } from './src/config/config.js';
import { createDataSource } from './src/database/data-source.js';
import { startEmbedded } from './src/database/embedded.js';

const config = loadConfig();
const embedded = config.DATABASE_URL === undefined ? await startEmbedded(config.DATA_DIR) : undefined;
const dataSource = createDataSource(embedded?.url ?? config.DATABASE_URL!, config);

// The embedded server goes with the last connection, which TypeORM closes when it is done or has failed.
const disconnect = dataSource.destroy.bind(dataSource);
dataSource.destroy = async () => {
  await disconnect();
  await embedded?.stop();
};

export default dataSource;
