/**
 * What the first view needs of the verifier, from the files where it is: the bundler divides the page by files, and a door of
 * the verifier would bring all of its exports into the first view.
 */

export { createRegistryClient } from '../../verifier/build/client/client.js';
export {
  placeName,
  recognitionOf,
  STANDINGS,
  sinceOf,
  standingOf,
} from '../../verifier/build/core/audit/shown-issuer.js';
export { parseStrictJson } from '../../verifier/build/core/bytes/strict-json.js';
export { NoUsableSource, RegistryError } from '../../verifier/build/core/errors.js';
export { TIERS } from '../../verifier/build/core/generated/schemas.js';
export { importRootKey } from '../../verifier/build/core/keys/root-key.js';
export { limitOf } from '../../verifier/build/core/limits.js';
export { TREE_FILES } from '../../verifier/build/core/tree-files.js';
export { openFile } from '../../verifier/build/http/fetch-file.js';
export { coversPlace } from '../../verifier/build/policy/requirements.js';
