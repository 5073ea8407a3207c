import type { HostStatus } from '../../observers/hosts/compare-hosts.js';
import { REPLACED_TREES } from './load-commands.js';
import type { HostComparison, StoppedIssuer, TreeComparison } from './tree-comparison.js';

/** Names the parts that differ. */
export function differences({ list, rootKey, publication, checkpoint }: TreeComparison): string {
  const published = { older: 'an earlier publication', newer: 'a later publication' };
  const statements = { checkpoint, 'root key': rootKey };
  const first = [list, publication].find((part) => part === 'older' || part === 'newer');
  const words = Object.entries(statements).flatMap(([part, how]) => {
    if (how === undefined || how === 'same') return [];
    const article = how === 'newer' ? 'a' : 'an';
    return [how === 'missing' ? `no ${part}` : `${article} ${how} ${part}`];
  });
  const missing = publication === 'missing' ? ['no publication statement'] : [];
  return [...(first === undefined ? [] : [published[first]]), ...missing, ...words].join(' and ');
}

/** Names the issuers that only one of two lists stops, a sentence for each list and status. */
export function stopsInWords({ stops }: Pick<TreeComparison, 'stops'>, folder: string): string[] {
  return (['suspended', 'revoked'] as const).flatMap((status) => {
    const idsIn = (issuers: readonly StoppedIssuer[] = []) =>
      issuers.flatMap((one) => (one.status === status ? [one.issuer_id] : []));
    const does = status === 'suspended' ? 'suspends' : 'revokes';
    return onlyOne(does, { host: idsIn(stops?.onlyHost), tree: idsIn(stops?.onlyTree) }, folder);
  });
}

/** Names the issuers that only one of two checkpoints holds, a sentence for each. */
export function holdsInWords({ holds }: TreeComparison, folder: string): string[] {
  return onlyOne('holds', { host: holds?.onlyHost ?? [], tree: holds?.onlyTree ?? [] }, folder);
}

function onlyOne(
  does: string,
  { host, tree }: { readonly host: readonly string[]; readonly tree: readonly string[] },
  folder: string,
): string[] {
  return [
    ...(host.length === 0 ? [] : [`it ${does} ${host.join(', ')}, and ${folder} does not`]),
    ...(tree.length === 0 ? [] : [`${folder} ${does} ${tree.join(', ')}, and it does not`]),
  ];
}

/** Says that neither of two trees continues the other: what only one of them stops, and which of their root keys is replaced. */
export function twoHistories(
  { host: { url, rootKey }, parts }: HostComparison,
  folder: string,
): { readonly message: string; readonly details: readonly string[] } {
  const differ = [...stopsInWords(parts, folder), ...holdsInWords(parts, folder)].join('; ');
  const replaced =
    parts.rootKey === 'older'
      ? [`the rotation of ${folder} has replaced the root key of ${url}, ${rootKey}`]
      : [];
  return {
    message: `two histories: neither ${url} nor ${folder} continues the other`,
    details: [...(differ === '' ? [] : [differ]), ...replaced],
  };
}

/** Says that a host shows a root key that nobody knows here. */
export function foreignKey({ url, rootKey, claimed }: HostStatus): string {
  if (rootKey === undefined)
    return `${url} shows the root key ${claimed?.rootKey}, which does not follow from yours: unless one of you has published that, a thief has`;
  return `${url} shows the root key ${rootKey}, by a rotation that was not made here: unless one of you has rotated elsewhere, a thief has`;
}

/** Says what to do then: only the people of the registry know whether it is theirs, so no command may adopt the key or undo it. */
export function askEverybody(key: string | undefined): string {
  return `ask everybody who has the root key who has rotated it to ${key}, and get root_key and the other settings from there. If nobody has, the root key has leaked: keep the folder as it is, and see "The root key has leaked" in emergency.md`;
}

/** Who may have signed what a host no longer stops, and the tree does. Undefined if it stops the same. */
export function doubtOfHost({ list, holds, stops }: TreeComparison): string | undefined {
  const leaked = (what: string, key: string) =>
    `if none of you has ${what}, the ${key} key has leaked: do not load it, and see "The ${key} key has leaked" in emergency.md`;
  if (list !== 'same') return stops?.onlyTree.length ? leaked('published that list', 'root') : undefined;
  const { onlyHost = [], onlyTree = [] } = holds ?? {};
  return onlyHost.length + onlyTree.length > 0 ? leaked('signed that checkpoint', 'online') : undefined;
}

/** The way out if witnesses have cosigned what a tree lacks, and so never cosign what follows. */
export function findNewest(out: string): string {
  return (
    `put the newest tree in the place of ${out}, from ${REPLACED_TREES}, the folder of whoever signed last, a mirror or a backup; until then, \`hold\` stops issuers. ` +
    'If it is lost for good, see "What can go wrong, and what stays" in log.md'
  );
}
