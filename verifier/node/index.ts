export { fileStore } from './file-store.js';
export { openRegistry } from './open-registry.js';
