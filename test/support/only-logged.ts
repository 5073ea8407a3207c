import { rmSync } from 'node:fs';
import { filesOf, writeFiles } from './workspace.js';

/**
 * Publishes, and takes back what is replaced after what never changes and the head of the log: as readers of a host may see a tree
 * while it is switched.
 */
export async function onlyLogged(tree: string, publish: () => Promise<unknown>): Promise<void> {
  const before = filesOf(tree);
  await publish();
  const early = [...filesOf(tree)].filter(([path]) => /^(?:lists|log\/(?!publication))/.test(path));
  rmSync(tree, { recursive: true });
  writeFiles(tree, Object.fromEntries([...before, ...early]));
}
