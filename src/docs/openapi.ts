import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { CONFIG, type Config } from '../config/config.js';
import { ERROR_RESPONSES, errorReference, ErrorSchema, PlanLimitErrorSchema, ValidationErrorSchema } from './errors.js';

const DESCRIPTION = `
Record your wins, label them with **tags** and group them in **spaces**.

Every call needs \`Authorization: Bearer <token>\`. At its first start the service prints a demo token on the terminal;
an operator makes others with \`npm run --silent cli -- token create --email you@example.com\`. Press **Authorize** and
paste one; it stays in this browser until you log out.

Lists are paged: \`page\` and \`per_page\` in, \`X-Total-Count\`, \`X-Page\`, \`X-Per-Page\` and \`Link\` out.
Every error has the same shape: a sentence, a stable \`code\` and the request's id. So has what is refused before it is
known which operation was meant: 400 for what is no HTTP, 408 for what takes too long to arrive, 431 for a head of more
than 16 KiB, and 404 for a path or method that is not here.
`;

/**
 * The OpenAPI document of the application. Each error is described once, among the components. Its server has the path
 * of `PUBLIC_URL`, on whatever host.
 */
export function createDocument(app: INestApplication): OpenAPIObject {
  const { PUBLIC_URL } = app.get<Config>(CONFIG);
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Wins')
    .setDescription(DESCRIPTION.trim())
    .setVersion('1')
    .addServer(PUBLIC_URL === undefined ? '/' : new URL(PUBLIC_URL).pathname.replace(/(.)\/+$/, '$1'), 'This service')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API token, `wins_…`' }, 'token')
    .addSecurityRequirements('token')
    .addTag('Wins', 'What you accomplished')
    .addTag('Tags', 'Labels on wins')
    .addTag('Spaces', 'Groups of wins, in an order of your own')
    .addTag('Account', 'You and your API tokens')
    .addTag('Health', 'For load balancers; no token needed')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    extraModels: [ErrorSchema, PlanLimitErrorSchema, ValidationErrorSchema],
  });
  document.components = { ...document.components, responses: ERROR_RESPONSES };
  for (const path of Object.values(document.paths)) {
    for (const operation of [path.get, path.post, path.patch, path.delete]) {
      for (const status of Object.keys(operation?.responses ?? {})) {
        operation!.responses[status] = errorReference(status) ?? operation!.responses[status];
      }
    }
  }
  return document;
}
