/** The paths of the single files in a tree that the core reads (rule tree-files), and of two that it only has a limit for. */
export const TREE_FILES = {
  list: 'issuers.json',
  /** Not read here: the publication statement has the hash of the list. */
  signature: 'issuers.sig',
  /** Not read here (rule root-key-pinned). */
  rootKey: 'keys/root.json',
  /** Everything that a client checks before the list (rule statements-file). */
  statements: 'statements.json',
  /** The names and reasons of issuers, for people (rule about-file). */
  about: 'about.json',
} as const;
