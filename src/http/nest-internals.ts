/**
 * What Nest has, but doesn't export from the entry point of its packages. Each would otherwise be copied here:
 * the list of security headers, the context that guards take, and the keys under which decorators keep a route.
 */
export { resolveSecurityHeaders } from '@nestjs/core/security/security-headers.js';
export { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
export { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
