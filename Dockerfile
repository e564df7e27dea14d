FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY nest-cli.json tsconfig.json .swcrc ./
COPY src ./src
RUN npm run build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --workspaces=false --ignore-scripts --no-audit --no-fund
# What the running service never reads: sources in TypeScript and their declarations, source maps, the parts of packages
# that are for browsers and bundlers, and TypeScript, which @nestjs/swagger names for its compiler plugin. Licences stay.
RUN find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.[cm]ts' \
      -o -name '*.md' ! -iname '*licen[cs]e*' \) -delete \
 && rm -rf node_modules/.bin node_modules/.package-lock.json node_modules/typescript \
      node_modules/typeorm/browser node_modules/rxjs/src node_modules/class-validator/bundles \
      node_modules/swagger-ui-dist/swagger-ui-es-bundle*.js \
 && chmod -R a+rX .

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=dependencies /app/package.json ./
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=8s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/readyz`, { signal: AbortSignal.timeout(7000) }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node is the process itself, so that it gets the signal to stop. Another command runs in its place:
# docker run … node dist/cli.js user list
CMD ["node", "dist/main.js"]
