/** The paths of the single files in a tree that the core reads (rule tree-files), and of two that it only has a limit for. */
export const TREE_FILES = {
  list: 'issuers.json',
  signature: 'issuers.sig',
  /** Not read here (rule root-key-pinned). */
  rootKey: 'keys/root.json',
  rotation: 'keys/rotation.json',
  checkpoint: 'checkpoint.jwt',
  publication: 'publication.jwt',
  /** The statements in one file, and nothing that is not in the others (rule statements-file). */
  statements: 'statements.json',
  /** The names and reasons of issuers, for people (rule about-file). */
  about: 'about.json',
  /** The proof that the log contains the publication statement (rule log-proof). */
  logProof: 'log/publication.tlog-proof',
} as const;
