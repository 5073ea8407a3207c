import type { Command } from 'commander';
import { requestedUpdatedAt } from '../../generator/list/updated-at.js';
import type { ListTime, TreeOptions } from '../../generator/publishing/publication.js';
import type { RegistryDescription } from '../../generator/tree/registry-description.js';
import type { Io } from '../terminal/io.js';
import { verifyHolders } from '../verify-holders.js';
import { addFreshnessOptions, type FreshnessOptions } from './freshness-options.js';
import { addLogOptions, type LogOptions } from './log-options.js';
import { addRuleOptions, type RuleOptions } from './rule-options.js';
import type { Settings, WithSettings } from './settings.js';
import { addSignerOptions, type SignerOptions } from './signer-options.js';

/** The options of commands that build. */
export interface BuildCommandOptions extends SignerOptions, FreshnessOptions, RuleOptions, LogOptions {
  issuers: string;
  out: string;
  updatedAt?: string;
  renew?: true;
  timings?: true;
  json?: true;
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

/** The options of commands whose record of the ceremony may not be in registry.yaml yet. */
export interface HoldersOptions extends WithSettings {
  holders?: string | undefined;
}

/** Adds the option of commands whose record of the ceremony may not be in registry.yaml yet. */
export function addHoldersOption(command: Command): Command {
  return command.option(
    '--holders <file>',
    'record of the ceremony, holders.json, which says who shares the root key',
  );
}

/** Returns what a tree contains besides the list. Each command that publishes a tree passes it on as a whole. */
export function treeOptions({ holders, settings }: HoldersOptions): TreeOptions {
  const { base_url: baseUrl, precompress, statements } = settings;
  return {
    holders: holders ?? settings.holders,
    ...{ verifyHolders, precompress, statements },
    about: descriptionOf(settings),
    page: { ...settings.page, baseUrl },
  };
}

/** Returns what the pages and documents of a registry say about it. */
export function descriptionOf({ name, description, contact, homepage }: Settings): RegistryDescription {
  return { name, description, contact, homepage };
}
