import { rmSync } from 'node:fs';
import { sha256 } from './signed-tree.js';
import { filesOf, writeFiles } from './workspace.js';

/**
 * Publishes, and takes back what was written after the head of the log, as if the build had been killed there: the publication
 * is only in the log.
 */
export async function onlyLogged(tree: string, publish: () => Promise<unknown>): Promise<void> {
  const before = filesOf(tree);
  await publish();
  const after = filesOf(tree);
  const list = after.get('issuers.json') as Buffer;
  const pending = `log/pending/${sha256(list)}`;
  const about = after.get('about.json');
  const isNewAbout = about !== undefined && before.get('about.json')?.equals(about) !== true;
  const early = [...after].filter(([path]) => /^(?:lists|log\/(?!publication))/.test(path));
  rmSync(tree, { recursive: true });
  writeFiles(tree, {
    ...Object.fromEntries([...before, ...early]),
    [`${pending}/issuers.sig`]: after.get('issuers.sig') as Buffer,
    ...(isNewAbout && { [`${pending}/about.json`]: about }),
  });
}
