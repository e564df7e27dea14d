FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY nest-cli.json tsconfig.json .swcrc esbuild.config.js ./
COPY src ./src
RUN npm run build
# The packages are in the bundle. What stays of them are their licences and the files of the explorer.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && find node_modules ! -type d ! -iname 'licen[cs]e*' ! -iname 'notice*' \
      ! -path node_modules/swagger-ui-dist/package.json \
      ! -path node_modules/swagger-ui-dist/swagger-ui.css \
      ! -path node_modules/swagger-ui-dist/swagger-ui-bundle.js -delete \
 && find node_modules -type d -empty -delete \
 && chmod -R a+rX dist node_modules package.json

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=8s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/readyz`, { signal: AbortSignal.timeout(7000) }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node is the process itself, so that it gets the signal to stop. Another command runs in its place:
# docker run … node dist/cli.js user list
CMD ["node", "dist/main.js"]
