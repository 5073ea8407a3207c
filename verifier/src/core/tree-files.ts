/** The paths of single files in a tree (rule tree-files). The core reads all but `signature` and `rootKey`. */
export const TREE_FILES = {
  list: 'issuers.json',
  /** No client reads the signature: the publication statement has the hash of the list. */
  signature: 'issuers.sig',
  /** No client reads the root key: it is pinned (rule root-key-pinned). */
  rootKey: 'keys/root.json',
  /** Everything that a client checks before the list (rule statements-file). */
  statements: 'statements.json',
  /** The names and reasons of issuers, for people (rule about-file). */
  about: 'about.json',
} as const;

/** The folder of the lists that are named by their hash, and never change (rule lists). */
export const LISTS_FOLDER = 'lists/';

/** Returns the path of a list. @param sha256 - its payload hash */
export const listPath = (sha256: string) => `${LISTS_FOLDER}${sha256}.json`;
