import type { Command } from 'commander';
import { requestedUpdatedAt } from '../../generator/list/updated-at.js';
import type { ListTime } from '../../generator/publishing/publication.js';
import type { Io } from '../terminal/io.js';
import { addFreshnessOptions, type FreshnessOptions } from './freshness-options.js';
import { addLogOptions, type LogOptions } from './log-options.js';
import { addRuleOptions, type RuleOptions } from './rule-options.js';
import { addSignerOptions, type SignerOptions } from './signer-options.js';
import type { TreeCommandOptions } from './tree-options.js';

/** The options of commands that build. */
export interface BuildCommandOptions
  extends SignerOptions,
    FreshnessOptions,
    RuleOptions,
    LogOptions,
    TreeCommandOptions {
  issuers: string;
  out: string;
  updatedAt?: string;
  renew?: true;
  timings?: true;
  json?: true;
  /** From registry.yaml only: base_url and the mirrors. */
  hosts?: readonly string[];
}

/** Adds the options of commands that build. */
export function addBuildOptions(command: Command): Command {
  command
    .option('--issuers <dir>', 'folder of the records', 'issuers')
    .option('--out <dir>', 'folder of the published tree', 'dist');
  return addLogOptions(addRuleOptions(addFreshnessOptions(addSignerOptions(command))))
    .option('--updated-at <time>', 'updated_at of a changed list, RFC 3339 (also SOURCE_DATE_EPOCH)')
    .option('--renew', 'publish under a new updated_at even if no record has changed')
    .option('--timings', 'print how long each stage took')
    .option('--json', 'report as JSON on stdout');
}

/** Returns the time of the list, from the options and the environment. @throws {@link UsageError} */
export function listTime(io: Io, { updatedAt, renew }: BuildCommandOptions): ListTime {
  return {
    updatedAt: requestedUpdatedAt(updatedAt, io.env['SOURCE_DATE_EPOCH']),
    renew: renew === true,
  };
}
