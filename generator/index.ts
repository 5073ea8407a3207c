export { type BuildOptions, build } from './build.js';
export type { CheckpointChoice } from './checkpoint.js';
export type { SignerChoice } from './choose-signer.js';
export type { CommandSignerOptions, SignerInput } from './command-signer.js';
export type { Diagnostic, Range } from './diagnostic.js';
export {
  type AnyGeneratorError,
  ConfigurationRejected,
  GeneratorError,
  IoFailed,
  KeyRejected,
  RecordsRejected,
  TreeRejected,
  UsageError,
} from './errors.js';
export type { Passphrase } from './key-file.js';
export type { OnProgress } from './progress.js';
export type { BuildReport, PublishOptions } from './publish.js';
export { type LoadedRecords, loadRecords } from './records.js';
export { RULES, type RuleName } from './rules.js';
export type { Tree } from './tree.js';
export { type FoundFile, folderSource, httpSource, memorySource, type TreeSource } from './tree-source.js';
export { CHECKS, type Check, type TreeReport, verifyTree } from './verify.js';
export type { Written } from './write.js';
