FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY .swcrc build.js esbuild.config.js licences.js ./
COPY src ./src
RUN npm run build && chmod -R a+rX package.json dist node_modules/swagger-ui-dist

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
# The bundle contains the packages; dist lists them with their licences. Only the API explorer reads files of its own.
COPY --from=build /app/node_modules/swagger-ui-dist/package.json \
  /app/node_modules/swagger-ui-dist/swagger-ui.css \
  /app/node_modules/swagger-ui-dist/swagger-ui-bundle.js ./node_modules/swagger-ui-dist/
COPY --from=build /app/package.json ./
COPY --from=build /app/dist ./dist
# What Node compiles at each start, compiled once, for the user who will run it: a fifth of the start.
ENV NODE_COMPILE_CACHE=/app/compiled
RUN mkdir compiled && chown node compiled && setpriv --reuid node node dist/cli.js openapi >/dev/null && chown -R root compiled
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=8s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/readyz`, { signal: AbortSignal.timeout(7000) }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Exec form, so that Node is process 1 and receives signals. To run another command instead:
# docker run … node dist/cli.js user list
CMD ["node", "dist/main.js"]
