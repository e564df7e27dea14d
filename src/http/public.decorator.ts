import { RouteConfig } from '@nestjs/platform-fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route needs no token. */
    public?: boolean;
  }
}

/** Marks a controller's handler that needs no token. Every other one does. */
export const Public = () => RouteConfig({ public: true });
