/** The paths of the files in a tree that the core reads, or knows a limit of (rule tree-files). */
export const TREE_FILES = {
  list: 'issuers.json',
  signature: 'issuers.sig',
  rootKey: 'keys/root.json',
  /** The record of the ceremony that made a shared root key (rule holders-record). */
  holders: 'keys/holders.json',
  rotation: 'keys/rotation.json',
  delegation: 'keys/delegation.jwt',
  checkpoint: 'checkpoint.jwt',
  publication: 'publication.jwt',
  /** The statements in one file, and nothing that is not in the others (rule statements-file). */
  statements: 'statements.json',
  /** The names and reasons of issuers, for people (rule about-file). */
  about: 'about.json',
  /** The proof that the log contains the publication statement (rule log-proof). */
  logProof: 'log/publication.tlog-proof',
} as const;
