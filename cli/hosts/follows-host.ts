import { join } from 'node:path';
import { RegistryError, type RootKey } from '@passport-registry/verifier';
import { ANY_TIME, type Delegation, verifyDelegation } from '@passport-registry/verifier/core';
import { AlreadyPublished, GeneratorError } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import type { Witness } from '../../generator/log/log-choice.js';
import { outdatedRecords, type RecordsFolder } from '../../generator/publishing/outdated-records.js';
import type { AssertFollowsHosts, NextPublication } from '../../generator/publishing/publication.js';
import type { RecordSet } from '../../generator/records/check-records.js';
import { getNewest } from '../../generator/review/assert-publishable.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { PublishedTree } from '../../generator/tree/published-tree.js';
import type { HostStatus } from '../../observers/hosts/compare-hosts.js';
import { type CommandPlace, commandLine, shellWord } from '../command-line.js';
import { askHosts, HOSTS_TIMEOUT_MS } from './ask-hosts.js';
import type { OwnTree } from './histories.js';
import { type Asking, assertNotPublished } from './not-published.js';
import { loadFromHost } from './published-before.js';
import {
  askEverybody,
  compareTrees,
  compareWhole,
  differences,
  doubtOfHost,
  foreignKey,
  isForeignKey,
  lostHolds,
  stopsInWords,
  type TreeComparison,
  twoHistories,
} from './tree-comparison.js';
import { historyOfWitnesses, wayBack } from './witnessed-history.js';

/** The settings that say which host is followed, and the public root key that the operator has pinned. */
interface FollowedSettings {
  readonly base_url?: string | undefined;
  readonly root_key?: string | undefined;
}

/** What a command is about to sign over the published tree. */
interface NextTree extends CommandPlace, Omit<NextPublication, 'rootKey' | 'published' | 'records'> {
  readonly published: PublishedTree;
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
  readonly settings: FollowedSettings & { readonly mirrors?: readonly string[] | undefined };
  /** The witnesses of the log. */
  readonly witnesses: readonly Witness[];
  /** The file of the delegation that is published with the list. */
  readonly delegation?: string | undefined;
  /** The issuers that the command suspends or revokes, if there are any. */
  readonly stopped?: readonly string[] | undefined;
  /** The issuers that the command is about, which then lifts no other suspension. */
  readonly about?: readonly string[] | undefined;
  /** The folder of the records. Undefined if what is signed elsewhere is published. */
  readonly issuers?: string;
}

/**
 * Returns the question that a build asks before the root key signs: before a first list, whether the registry has published
 * before; otherwise that of {@link assertFollowsHost}, and whether the records are older than a suspension.
 */
export function followsHosts(
  asking: Asking,
  { settings, config, witnesses, delegation, stopped, about, issuers }: ShownBy,
): AssertFollowsHosts {
  return async ({ rootKey, published, records, ...next }) => {
    if (published === undefined)
      return assertNotPublished(
        { baseUrl: settings.base_url, mirrors: settings.mirrors ?? [] },
        { rootKey, delegation },
        asking,
      );
    const { env } = asking;
    const unknown = await assertFollowsHost({
      published,
      settings,
      env,
      config,
      stopped,
      witnesses,
      ...next,
    });
    if (about === undefined && issuers !== undefined) assertNewest({ issuers, env }, records, published);
    return unknown;
  };
}

/** A clone that nobody has updated would end suspensions which it has never seen. */
function assertNewest(folder: RecordsFolder, records: RecordSet, published: PublishedTree): void {
  const outdated = outdatedRecords(folder, records, published);
  if (outdated.length === 0) return;
  throw new AlreadyPublished(
    `the list suspends ${outdated.join(', ')}, and git shows that the records are active since before that: nothing was signed. These are not ` +
      `the newest records: ${getNewest(outdated)}`,
  );
}

/**
 * Asserts that base_url serves nothing newer than the published tree, and holds no issuer that a new checkpoint would release
 * (rule hold-kept): the tree may be a copy of an earlier day. No answer is no reason to stop, because an issuer may have to be
 * stopped while the host is down.
 *
 * @returns why that is unknown, for people. Undefined if it is known, or if a development key has signed the tree
 * @throws {@link AlreadyPublished}
 */
export async function assertFollowsHost(next: NextTree): Promise<string | undefined> {
  const { published, settings, witnesses = [] } = next;
  const { folder: out, rootKey } = published;
  if (rootKey === undefined || published.development) return undefined;
  const [other, compared] = await Promise.all([
    historyOfWitnesses(published, witnesses),
    compareWithHost(next, rootKey),
  ]);
  const refused = other && new AlreadyPublished(`${other}. Nothing was signed: ${wayBack(out)}`);
  if (compared?.whole === undefined) {
    if (refused !== undefined) throw refused;
    return notCompared(settings.base_url, out, compared?.host);
  }
  await assertOneHistory(next, compared);
  // Of two histories, the host has shown one, and the rule for those decides.
  if (refused !== undefined && compared.whole !== 'other') throw refused;
  assertKeepsHolds(next, compared);
  return doubtOf(next, compared);
}

/** A tree, and what its host serves. */
interface ComparedHost {
  readonly host: HostStatus;
  readonly tree: OwnTree;
  readonly parts: TreeComparison;
  /** How the two follow each other. Undefined if the host does not show it. */
  readonly whole: ReturnType<typeof compareWhole>;
}

/** Compares a tree with its host. Undefined if no host is known. */
async function compareWithHost(
  { published, settings: { base_url: baseUrl }, onlineKeys, delegation }: NextTree,
  rootKey: RootKey,
): Promise<ComparedHost | undefined> {
  if (baseUrl === undefined) return undefined;
  const signal = AbortSignal.timeout(HOSTS_TIMEOUT_MS);
  const [host] = await askHosts([baseUrl], { rootKey, folder: published.folder, now: Date.now(), signal });
  if (host === undefined) throw new TypeError('no answer about a host that was asked');
  const tree = await ownTree(published, rootKey);
  const given = onlineKeys && { keys: onlineKeys };
  const keys = given ?? (await verified(delegation, rootKey));
  const parts = await compareTrees(host, tree, { delegation: keys, signal });
  return { host, tree, parts, whole: compareWhole(parts) };
}

function notCompared(baseUrl: string | undefined, out: string, host: HostStatus | undefined): string {
  if (baseUrl === undefined)
    return `${out} was not compared with any host, because no base_url is known in this folder (registry.yaml).`;
  const why = host?.empty === true ? 'it serves no list' : (host?.problem ?? 'the tree cannot be read');
  return `${baseUrl} was not compared with ${out}: ${why}. When it answers, run \`status\` before you publish ${out}.`;
}

/** Asserts that the host serves neither a later publication nor another history. @throws {@link AlreadyPublished} */
async function assertOneHistory(
  { published: { folder: out }, settings, env, config, stopped = [] }: NextTree,
  { host, tree, parts, whole }: ComparedHost,
): Promise<void> {
  const repeats =
    whole === 'other' && stopped.length > 0 && stopped.every((id) => stopsOfHost(parts).includes(id));
  const isForeign =
    parts.rootKey === 'newer' && isForeignKey(host, parts, await pinnedIn(settings.root_key, env));
  if (isForeign && !repeats)
    throw new AlreadyPublished(`${foreignKey(host)}. Nothing was signed: ${askEverybody(host.rootKey)}`);
  if (whole === 'other' && !isOfReplacedKey(parts) && !repeats)
    throw new AlreadyPublished(
      `${histories(host, tree, parts)}. Nothing was signed: do what \`status\` says next, which loads one of them, and run this again`,
    );
  if (whole === 'newer') throw newerHost(host, { out, config }, parts);
}

/** A key that the tree has replaced stops no signature: whoever has stolen it may publish whatever they like. */
function isOfReplacedKey({ rootKey }: TreeComparison): boolean {
  return rootKey === 'older';
}

function histories(host: HostStatus, tree: OwnTree, parts: TreeComparison): string {
  const { message, details } = twoHistories(host, tree, parts);
  return [message, ...details].join('; ');
}

/** Asserts that a new checkpoint releases nobody whom only the host holds. @throws {@link AlreadyPublished} */
function assertKeepsHolds(
  { published: { folder: out }, settings, decided = [], stopped = [] }: NextTree,
  { parts }: ComparedHost,
): void {
  const released =
    decided === 'all' ? [] : (parts.holds?.onlyHost ?? []).filter((id) => !decided.includes(id));
  if (released.length === 0) return;
  const ids = released.join(', ');
  // At night, what stops another issuer must not wait for that.
  const both = [...released, ...stopped].join(' ');
  throw new AlreadyPublished(
    `${settings.base_url} holds ${ids}, and ${out} does not, so a new checkpoint would release what nobody has ended here: run \`hold ${both}\`. ` +
      `Only if one of you has ended the hold elsewhere, publish ${out} as it is, with \`branch save ${out}\` or by a copy to the host, and run this again`,
  );
}

/** Why nothing shows that a tree continues what its host serves, for people. Undefined if something shows it. */
function doubtOf(
  { published: { folder: out }, settings }: NextTree,
  { host, tree, parts, whole }: ComparedHost,
): string | undefined {
  if (whole === 'other' && isOfReplacedKey(parts))
    return `${histories(host, tree, parts)}. Publish ${out} as \`status\` says.`;
  if (whole === 'same' || parts.isProven) return undefined;
  const stops = stopsInWords(parts, out);
  return `nothing shows that ${out} continues what ${settings.base_url} serves: it is later by its number or time only${stops === undefined ? '' : `; ${stops}`}. Look at both before you publish ${out}.`;
}

/** The thumbprint of the pinned root key. Undefined if nobody has pinned one that can be read. */
async function pinnedIn(file: string | undefined, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    return file === undefined ? undefined : (await loadRootKey(file, env)).thumbprint;
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    return undefined;
  }
}

/** Whom only the host stops. To stop them here, too, is right whichever of two histories remains. */
function stopsOfHost({ stops, holds }: TreeComparison): readonly string[] {
  return [...(stops?.onlyHost.map(({ issuer_id }) => issuer_id) ?? []), ...(holds?.onlyHost ?? [])];
}

function newerHost(
  host: HostStatus,
  { out, config }: CommandPlace & { readonly out: string },
  parts: TreeComparison,
): AlreadyPublished {
  const { url } = host;
  const lost = lostHolds(out, host, parts);
  const again = lost.length === 0 ? '' : `. ${out} holds ${lost.join(', ')}, and the host does not`;
  const key = ['--root-key', shellWord(join(out, PATHS.rootKey))];
  const load = loadFromHost(url, { config }, { out: shellWord(out), key, replaces: true });
  const where = out === 'dist' ? [] : ['--out', shellWord(out)];
  const hold = lost.length === 0 ? '' : ` && ${commandLine({ config }, 'hold', ...lost, ...where)}`;
  const doubt = doubtOfHost(parts);
  return new AlreadyPublished(
    `${url} serves ${differences(parts)} than ${out}, and what is signed over ${out} would undo that${again}: load the published tree first, with ` +
      `\`${load}${hold}\`, and run this again${doubt === undefined ? '' : `. ${doubt}`}`,
  );
}

async function ownTree(published: PublishedTree, rootKey: RootKey): Promise<OwnTree> {
  const { folder, list, updatedAt, checkpoint, statement, intact } = published;
  return {
    ...{ folder, updatedAt, checkpoint, publication: statement, rootKey: rootKey.thumbprint },
    sha256: list && sha256(list),
    delegation: await verified(readIfReadable(folder, PATHS.delegation), rootKey),
    issuers: intact.list ? published.issuers() : [],
  };
}

async function verified(
  delegation: Uint8Array | string | undefined,
  rootKey: RootKey,
): Promise<Delegation | undefined> {
  try {
    return delegation === undefined ? undefined : await verifyDelegation(delegation, rootKey, ANY_TIME);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return undefined;
  }
}
