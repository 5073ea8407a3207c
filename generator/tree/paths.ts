/** The paths that verifiers know (SPEC A1). */
export const PATHS = {
  list: 'issuers.json',
  signature: 'issuers.sig',
  rootKey: 'keys/root.json',
  record: (id: string) => `issuers/${id}`,
  delegation: 'keys/delegation.jwt',
  rotation: 'keys/rotation.json',
  checkpoint: 'checkpoint.jwt',
  /** The list once more, for hosts that send a compressed file as it is. */
  gzipped: 'issuers.json.gz',
  brotli: 'issuers.json.br',
  /** What people look at. */
  page: 'index.html',
  asset: (name: string) => `assets/${name}`,
  /** Every change of status and tier, as data, and as a feed. */
  changes: 'changes.json',
  feed: 'changes.atom',
  /** What has changed since the list of a hash. */
  delta: (hash: string) => `deltas/${hash}.json`,
  snapshot: (hash: string, file: string) => `snapshots/${hash}/${file}`,
  /** Stands in trees that are signed by a development key, and in no other. */
  developmentMark: 'UNFIT-FOR-PRODUCTION.txt',
} as const;
