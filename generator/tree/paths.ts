import { LISTS_FOLDER, listPath, recordPath, TREE_FILES } from '@passport-registry/verifier/core';
import { LOG_FOLDER, LOG_HEAD_PATH } from '../log/log-files.js';

/** The paths of the files in a tree (rule tree-files). */
export const PATHS = {
  // What a verifier reads, too.
  ...TREE_FILES,
  record: recordPath,
  /** The hashes of the files that nothing else proves (rule checksums-form). */
  checksums: 'SHA256SUMS',
  /** The OpenAPI description of the tree. */
  openApi: 'schemas/registry.openapi.json',
  /** The page for people. */
  page: 'index.html',
  asset: (name: string) => `assets/${name}`,
  /** The changes of status and tier. */
  changes: 'changes.json',
  /** A list that is named by its hash, and never changes (rule lists). */
  namedList: listPath,
  /** The newest head of the log, signed by the key of the log (rule log-files). */
  logHead: LOG_HEAD_PATH,
  /** The statement of an entry of the log. @param index - the number of entries before it */
  loggedStatement: (index: number) => `log/statements/${index}.jwt`,
  /** Only in trees that a development key signed. */
  developmentMark: 'UNFIT-FOR-PRODUCTION.txt',
} as const;

/** The folders that grow with every publication: their files never change, and a build does not list them. */
export const PAST_FOLDERS: readonly string[] = [LOG_FOLDER, LISTS_FOLDER];
