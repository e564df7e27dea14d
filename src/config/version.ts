/** Put in by the build. */
declare const BUILD_VERSION: string | undefined;

/** The version in `package.json`; code that is not built has none. */
export const VERSION = typeof BUILD_VERSION === 'undefined' ? 'unbuilt' : BUILD_VERSION;
