import { join } from 'node:path';
import { operatorCommands, ownRegistry, sh } from './documents.js';
import { copyOf, madeOnce } from './made-once.js';

/** The heading that sets up keys that registry.yaml names, checkpoints and a log. */
export const START = 'From records to a registry with everything';

/** The operator's own registry after the commands below some headings, which many tests begin with. */
export async function registryAfter(...headings: string[]): Promise<string> {
  const name = `registry-after-${headings.join('-').replaceAll(/\W+/g, '-')}`;
  const made = await madeOnce(name, async (parent) => obey(headings, await ownRegistry(parent)));
  return join(copyOf(made), 'my-registry');
}

/** Runs the commands below some headings of the pages for operators. */
export async function obey(headings: readonly string[], folder: string): Promise<void> {
  for (const heading of headings) {
    for (const commands of operatorCommands(heading)) await sh(commands, folder);
  }
}
