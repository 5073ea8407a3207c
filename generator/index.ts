export { type BuildOptions, build } from './build.js';
export type { Diagnostic, Range } from './diagnostics/diagnostic.js';
export { RULES, type RuleName } from './diagnostics/rules.js';
export {
  AlreadyPublished,
  type AnyGeneratorError,
  ConfigurationRejected,
  GeneratorError,
  IoFailed,
  KeyRejected,
  RecordsRejected,
  type RequestFault,
  RequestRejected,
  TreeRejected,
  UsageError,
} from './errors.js';
export type { CheckpointChoice } from './freshness/checkpoint.js';
export type { Listeners, OnProgress, OnStage } from './progress.js';
export type { FreshnessChoice, ListTime, PublishOptions } from './publishing/publication.js';
export type { BuildReport } from './publishing/report.js';
export { type LoadedRecords, loadRecords } from './records/check-records.js';
export type { SignerChoice } from './signing/choose-signer.js';
export type { CommandSignerOptions, SignerInput } from './signing/command-signer.js';
export type { Passphrase } from './signing/key-file.js';
export type { RegistryDescription } from './tree/registry-description.js';
export type { Tree } from './tree/tree.js';
export { CHECKS, type Check } from './verification/checks.js';
export {
  type FoundFile,
  folderSource,
  httpSource,
  memorySource,
  type TreeSource,
} from './verification/tree-source.js';
export type { Note } from './verification/unknown-parts.js';
export { type TreeReport, verifyTree } from './verification/verify.js';
