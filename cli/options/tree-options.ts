import type { Command } from 'commander';
import type { TreeOptions } from '../../generator/publishing/publication.js';
import type { RegistryDescription } from '../../generator/tree/registry-description.js';
import type { PageSettings } from '../../generator/tree/site/page-settings.js';
import { verifyHolders } from '../verify-holders.js';

/** The options of every command that publishes a whole tree. */
export interface TreeCommandOptions {
  holders?: string;
  /** From registry.yaml only. */
  precompress?: boolean;
  /** From registry.yaml only. */
  statements?: boolean;
  /** From registry.yaml only. */
  about?: RegistryDescription;
  /** From registry.yaml only. */
  page?: PageSettings;
}

/** Adds the option of commands whose record of the ceremony is not in registry.yaml yet. */
export function addHoldersOption(command: Command): Command {
  return command.option(
    '--holders <file>',
    'record of the ceremony, holders.json, which says who shares the root key',
  );
}

/** Returns what a tree contains besides the list. Each command that publishes a tree passes it on as a whole. */
export function treeOptions({
  holders,
  precompress = false,
  statements = false,
  about,
  page,
}: TreeCommandOptions): Required<TreeOptions> {
  return { holders, verifyHolders, precompress, statements, about, page };
}
