import { join } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { AlreadyPublished, TreeRejected } from '../../generator/errors.js';
import type { RegistryFile } from '../../generator/generated/settings.js';
import type { Witness } from '../../generator/log/log-choice.js';
import type { AssertFollowsHosts, NextPublication } from '../../generator/publishing/publication.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { PublishedTree } from '../../generator/tree/published-tree.js';
import type { HostStatus } from '../../observers/hosts/compare-hosts.js';
import { type CommandPlace, shellWord } from '../command-line.js';
import { askHosts, askWitnesses, HOSTS_TIMEOUT_MS } from './ask-hosts.js';
import {
  askEverybody,
  differences,
  doubtOfHost,
  findNewest,
  foreignKey,
  stopsInWords,
  twoHistories,
} from './in-words.js';
import { andHold, loadFromHost } from './load-commands.js';
import { type Asking, assertNotPublished } from './not-published.js';
import { isThiefs } from './over-thief.js';
import { ownTree, thumbprintIn } from './own-tree.js';
import { compareWithHost, type HostComparison, type TreeComparison } from './tree-comparison.js';

/** The settings that say which hosts are followed, and the public root key that the operator has pinned. */
type FollowedSettings = Pick<RegistryFile, 'base_url' | 'mirrors' | 'root_key'>;

/** What a command is about to sign over the published tree. */
interface NextTree extends CommandPlace {
  readonly published: PublishedTree;
  /** The online keys from then on. Default: those of the published tree. */
  readonly onlineKeys?: NextPublication['onlineKeys'] | undefined;
  readonly settings: FollowedSettings;
  readonly env: NodeJS.ProcessEnv;
  /** The issuers whose hold the command begins or ends. Default: none. */
  readonly decided?: readonly string[] | 'all' | undefined;
  /** The issuers that the command stops. Default: none. */
  readonly stopped?: readonly string[] | undefined;
  /** The witnesses of the log, of a command that adds to it. Default: none is asked. */
  readonly witnesses?: readonly Witness[] | undefined;
}

/** Where a registry may show that it has published, and what a build is for. */
interface ShownBy extends CommandPlace {
  readonly settings: FollowedSettings;
  /** The witnesses of the log. */
  readonly witnesses: readonly Witness[];
  /** The issuers that the command suspends or revokes, if there are any. */
  readonly stopped?: readonly string[] | undefined;
}

/**
 * Returns the question that a build asks before the root key signs: before a first list, whether the registry has published
 * before; otherwise that of {@link assertFollowsHost}.
 */
export function followsHosts(asking: Asking, where: ShownBy): AssertFollowsHosts {
  const { env } = asking;
  return async ({ rootKey, published, ...next }) => {
    if (published === undefined) return assertNotPublished(where.settings, rootKey, asking);
    return assertFollowsHost({ published, env, ...where, ...next });
  };
}

/**
 * Asserts that base_url serves nothing newer than the published tree, that witnesses have cosigned nothing that it lacks, and that
 * a new checkpoint would release no issuer (rule hold-kept): the tree may be a copy of an earlier day. No answer is no reason to
 * stop, because an issuer may have to be stopped while the host is down.
 *
 * @returns why that is unknown, for people. Undefined if it is known, or if a development key has signed the tree
 * @throws {@link AlreadyPublished} | {@link TreeRejected}
 */
export async function assertFollowsHost(next: NextTree): Promise<string | undefined> {
  const { published, settings, witnesses = [] } = next;
  const { folder: out, rootKey } = published;
  if (published.development) return undefined;
  // A build has made a lost root key again, if it knows the key.
  if (rootKey === undefined)
    throw new TreeRejected(
      `${out}/${PATHS.rootKey} is missing or damaged, so ${out} cannot be compared with what is served: restore ${out}, as \`status\` shows`,
    );
  const [witnessed, found] = await Promise.all([askWitnesses(published, witnesses), askHost(next, rootKey)]);
  const isCompared = found?.comparedWithTree !== undefined;
  // Of two histories, the host has shown one, and the rule for those decides.
  const isOther = found?.comparedWithTree === 'other';
  const isVetoed =
    witnessed !== undefined &&
    !isOther &&
    !(await isThiefs({ folder: out, rootKey: rootKey.thumbprint }, witnesses));
  const refused =
    (isCompared ? otherHistory(next, found) : undefined) ??
    (isVetoed ? `${witnessed}. Nothing was signed: ${findNewest(out)}` : undefined) ??
    (isCompared ? releasedHolds(next, found.parts) : undefined);
  if (refused !== undefined) throw new AlreadyPublished(refused);
  return isCompared ? doubtOf(next, found) : notCompared(settings.base_url, out, found?.host);
}

/** Compares a tree with its host. Undefined if no host is known. */
async function askHost(
  { published, settings, env, onlineKeys }: NextTree,
  rootKey: RootKey,
): Promise<HostComparison | undefined> {
  if (settings.base_url === undefined) return undefined;
  const signal = AbortSignal.timeout(HOSTS_TIMEOUT_MS);
  const question = { rootKey, folder: published.folder, now: Date.now(), signal };
  const [host] = (await askHosts([settings.base_url], question)) as [HostStatus];
  return compareWithHost(host, ownTree(published, rootKey), {
    pinned: await thumbprintIn(settings.root_key, env),
    onlineKeys,
    signal,
  });
}

function notCompared(baseUrl: string | undefined, out: string, host: HostStatus | undefined): string {
  if (baseUrl === undefined)
    return `${out} was not compared with any host, because no base_url is known in this folder (registry.yaml).`;
  const why = host?.empty === true ? 'it serves no list' : (host?.problem ?? 'the tree cannot be read');
  return `${baseUrl} was not compared with ${out}: ${why}. When it answers, run \`status\` before you publish ${out}.`;
}

/** Why nothing may be signed: the host serves a later publication, or another history. */
function otherHistory(
  { published: { folder: out }, config, stopped = [] }: NextTree,
  found: HostComparison,
): string | undefined {
  const { host, parts, comparedWithTree, isForeign } = found;
  const isOther = comparedWithTree === 'other';
  // To stop here, too, what the host stops is right whichever of two histories remains.
  const stops = [
    ...(parts.stops?.onlyHost.map(({ issuer_id }) => issuer_id) ?? []),
    ...(parts.holds?.onlyHost ?? []),
  ];
  if (isOther && stopped.length > 0 && stopped.every((id) => stops.includes(id))) return undefined;
  if (isForeign) return `${foreignKey(host)}. Nothing was signed: ${askEverybody(host.rootKey)}`;
  if (isOther && !isOfReplacedKey(parts))
    return `${historiesInWords(found, out)}. Nothing was signed: do what \`status\` says next, which loads one of them, and run this again`;
  return comparedWithTree === 'newer' ? newerHost(found, { out, config }) : undefined;
}

/** A key that the tree has replaced stops no signature: whoever has stolen it may publish whatever they like. */
const isOfReplacedKey = ({ rootKey }: TreeComparison) => rootKey === 'older';

function historiesInWords(found: HostComparison, out: string): string {
  const { message, details } = twoHistories(found, out);
  return [message, ...details].join('; ');
}

function newerHost(
  { host: { url }, parts, lostHolds }: HostComparison,
  { out, config }: CommandPlace & { readonly out: string },
): string {
  const place = { config, out: shellWord(out) };
  const key = ['--root-key', shellWord(join(out, PATHS.rootKey))];
  const load = andHold(loadFromHost(url, place, { key, replaces: true }), lostHolds, place);
  const held =
    lostHolds.length === 0 ? '' : `, and ${out} holds ${lostHolds.join(', ')}, which the host does not`;
  const doubt = doubtOfHost(parts);
  const unless = doubt === undefined ? '' : `${doubt}. Otherwise, `;
  return (
    `${url} serves ${differences(parts)} than ${out}${held}. Nothing was signed: ${unless}load the published tree first, with ` +
    `\`${load}\`, and run this again`
  );
}

/** Why a new checkpoint may not be signed: it would release whom only the host holds. */
function releasedHolds(
  { published: { folder: out }, settings, decided = [], stopped = [] }: NextTree,
  { holds }: TreeComparison,
): string | undefined {
  const released = decided === 'all' ? [] : (holds?.onlyHost ?? []).filter((id) => !decided.includes(id));
  if (released.length === 0) return undefined;
  // At night, what stops another issuer must not wait for that.
  const both = [...released, ...stopped].join(' ');
  return (
    `${settings.base_url} holds ${released.join(', ')}, and ${out} does not, so this would release what nobody has ended here: run \`hold ${both}\`. ` +
    `Only if one of you has ended that hold elsewhere, publish ${out} as it is, with \`branch save ${out}\` or by a copy to the host, and run this again`
  );
}

/** Why nothing shows that a tree continues what its host serves, for people. Undefined if something shows it. */
function doubtOf(
  { published: { folder: out }, settings }: NextTree,
  found: HostComparison,
): string | undefined {
  const { parts, comparedWithTree } = found;
  if (comparedWithTree === 'other' && isOfReplacedKey(parts))
    return `${historiesInWords(found, out)}. Publish ${out} as \`status\` says.`;
  if (comparedWithTree === 'same' || parts.isProven) return undefined;
  const what = `only its number or time shows that ${out} continues what ${settings.base_url} serves`;
  return `${[what, ...stopsInWords(parts, out)].join('; ')}. Look at both before you publish ${out}.`;
}
