export { forEachConcurrent } from '@passport-registry/verifier/internal';
