/** Defined by esbuild. */
declare const BUILD_VERSION: string | undefined;

/** The version in `package.json`, in built code only. */
export const VERSION = typeof BUILD_VERSION === 'undefined' ? 'unbuilt' : BUILD_VERSION;
