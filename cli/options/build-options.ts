import { Option } from 'commander';
import { requestedUpdatedAt } from '../../generator/list/updated-at.js';
import type { ListTime, TreeOptions } from '../../generator/publishing/publication.js';
import type { RegistryDescription } from '../../generator/tree/registry-description.js';
import type { Io } from '../terminal/io.js';
import { verifyHolders } from '../verify-holders.js';
import { ISSUERS_OPTION, JSON_OPTION, OUT_OPTION } from './common-options.js';
import { FRESHNESS_OPTIONS, type FreshnessOptions } from './freshness-options.js';
import { LOG_OPTIONS, type LogOptions } from './log-options.js';
import { RULE_OPTIONS, type RuleOptions } from './rule-options.js';
import type { Settings } from './settings.js';
import { ROOT_SIGNER_OPTIONS, type RootSignerOptions } from './signer-options.js';

/** The options of commands that build. */
export interface BuildCommandOptions extends RootSignerOptions, FreshnessOptions, RuleOptions, LogOptions {
  issuers: string;
  out: string;
  updatedAt?: string;
  renew?: true;
  json?: true;
}

/** The options of commands that build, for the help. */
export const BUILD_OPTIONS = [
  ISSUERS_OPTION,
  OUT_OPTION,
  ...ROOT_SIGNER_OPTIONS,
  ...FRESHNESS_OPTIONS,
  ...RULE_OPTIONS,
  ...LOG_OPTIONS,
  new Option('--updated-at <time>', 'updated_at of a changed list, RFC 3339 (also SOURCE_DATE_EPOCH)'),
  new Option('--renew', 'publish under a new updated_at even if no record has changed'),
  JSON_OPTION,
];

/** Returns the time of the list, from the options and the environment. @throws {@link UsageError} */
export function listTime(io: Io, { updatedAt, renew }: BuildCommandOptions): ListTime {
  return {
    updatedAt: requestedUpdatedAt(updatedAt, io.env['SOURCE_DATE_EPOCH']),
    renew: renew === true,
  };
}

/** The option of commands whose record of the ceremony may not be in registry.yaml yet, for the help. */
export const HOLDERS_OPTION = new Option(
  '--holders <file>',
  'record of the ceremony, holders.json, which says who shares the root key',
);

/** Returns what a tree contains besides the list. Each command that publishes a tree passes it on as a whole. */
export function treeOptions(settings: Settings): TreeOptions {
  const { base_url: baseUrl, holders, precompress, statements } = settings;
  return {
    ...{ holders, verifyHolders, precompress, statements },
    about: descriptionOf(settings),
    page: { ...settings.page, baseUrl },
  };
}

/** Returns what the pages and documents of a registry say about it. */
export function descriptionOf({ name, description, contact, homepage }: Settings): RegistryDescription {
  return { name, description, contact, homepage };
}
