import type { Facts } from './facts.js';
import { hostPart, unaskedPart } from './host-parts.js';
import { onlineKeysPart, rootKeyPart } from './key-parts.js';
import type { Part } from './part.js';
import { checkpointPart, logPart } from './statement-parts.js';
import { listPart, recordsPart, stagePart, treePart } from './tree-parts.js';

/** A part of a registry, with its name. */
export interface NamedPart extends Part {
  readonly part: string;
}

/** Says what is so with each part of a registry. A part that the registry does not have is left out. */
export function statusOf(facts: Facts): readonly NamedPart[] {
  const { tree, records, rootKey, online, log, hasStage, hosts, now } = facts;
  const asked = typeof hosts === 'string' ? [] : hosts;
  const parts: readonly (readonly [name: string, part: Part | undefined])[] = [
    // Of one level, first what may leave an issuer that is stopped to those who trust it.
    ['base_url', unaskedPart(facts)],
    ...asked.map((host) => [host.role, hostPart(host, tree, now)] as const),
    ['checkpoint', checkpointPart(tree, now)],
    ['records', recordsPart(records, { isPublished: tree.isThere, hasStage })],
    ['tree', treePart(tree, hasStage)],
    ['stage', stagePart(facts)],
    ['root key', rootKeyPart(rootKey, tree)],
    ['online keys', onlineKeysPart(online, tree, now)],
    ['log', logPart(log, tree, now)],
    ['list', listPart(tree, now)],
  ];
  return parts.flatMap(([name, part]) => (part === undefined ? [] : [{ part: name, ...part }]));
}
