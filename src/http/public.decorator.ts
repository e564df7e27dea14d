import { RouteConfig } from '@nestjs/platform-fastify';

/** Marks a controller's handler as one that needs no token. Every other one does. */
export const Public = () => RouteConfig({ public: true });
