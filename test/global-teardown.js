export default () => globalThis.tearDown();
