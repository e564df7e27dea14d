/**
 * The data source of TypeORM's own command line (`npm run migration:generate`), with the list of entities. The service
 * itself uses `src/database` and no entities.
 */
import { ApiToken } from './src/auth/api-token.entity.js';
import { Plan } from './src/auth/plan.entity.js';
import { User } from './src/auth/user.entity.js';
import { loadConfig } from './src/config/config.js';
import { createDataSource } from './src/database/data-source.js';
import { startEmbedded } from './src/database/embedded.js';
import { Deletion } from './src/changes/deletion.entity.js';
import { IdempotencyKey } from './src/idempotency/idempotency-key.entity.js';
import { Space } from './src/spaces/space.entity.js';
import { Tag } from './src/tags/tag.entity.js';
import { WinTag } from './src/wins/win-tag.entity.js';
import { Win } from './src/wins/win.entity.js';

const config = loadConfig();
const embedded = config.DATABASE_URL === undefined ? await startEmbedded(config.DATA_DIR) : undefined;
const dataSource = createDataSource(embedded?.url ?? config.DATABASE_URL!, config, [
  Plan,
  User,
  ApiToken,
  Space,
  Tag,
  Win,
  WinTag,
  Deletion,
  IdempotencyKey,
]);

// The embedded server goes with the last connection, which TypeORM closes when it is done or has failed.
const disconnect = dataSource.destroy.bind(dataSource);
dataSource.destroy = async () => {
  await disconnect();
  await embedded?.stop();
};

export default dataSource;
