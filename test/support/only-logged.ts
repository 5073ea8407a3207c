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
  const snapshot = `snapshots/${sha256(after.get('issuers.json') as Buffer)}`;
  const about = after.get('about.json');
  const isNewAbout = about !== undefined && before.get('about.json')?.equals(about) !== true;
  const early = [...after].filter(
    ([path]) => /^log\/(?!publication|proofs)/.test(path) || path.startsWith(`${snapshot}/issuers.`),
  );
  // A publication begins with new cosignatures for the proof that it replaces.
  const [, replaced] = [...after].find(([path]) => /last\.tlog-proof$/.test(path) && !before.has(path)) ?? [];
  rmSync(tree, { recursive: true });
  writeFiles(tree, {
    ...Object.fromEntries([...before, ...early]),
    ...(replaced && { 'log/publication.tlog-proof': replaced }),
    ...(isNewAbout && { [`${snapshot}/about.json`]: about }),
  });
}
