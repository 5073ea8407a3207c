import { join } from 'node:path';
import { RegistryError, type RootKey } from '@passport-registry/verifier';
import { ANY_TIME, type Delegation, verifyDelegation } from '@passport-registry/verifier/core';
import { AlreadyPublished, GeneratorError } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import type { Witness } from '../../generator/log/log-choice.js';
import { otherHistory } from '../../generator/log/other-history.js';
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
import { findTrace, loadFromHost } from './published-before.js';
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

/** The settings that say which host is followed, and the public root key that the operator has pinned. */
interface FollowedSettings {
  readonly base_url?: string;
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

/** Whom a build asks if no host tells. */
export interface Asking {
  readonly env: NodeJS.ProcessEnv;
  /** Asks the operator whether the registry is new. Throws {@link AlreadyPublished} unless it is. */
  readonly confirmNew: (doubt: string) => Promise<void>;
}

/** Where a registry may show that it has published, and what a build is for. */
interface ShownBy extends CommandPlace {
  readonly settings: FollowedSettings & { readonly mirrors?: readonly string[] };
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
 * Asserts that the registry has not published before under this root key, as its folder or a host shows: a first list would
 * start the registry over, and every verifier that knows the published list would refuse it.
 *
 * @returns what the hosts answered. Undefined if there is no host to ask
 * @throws {@link AlreadyPublished}
 */
async function assertNotPublished(
  { baseUrl, mirrors }: { readonly baseUrl: string | undefined; readonly mirrors: readonly string[] },
  traces: { readonly rootKey: RootKey; readonly delegation: string | undefined },
  { env, confirmNew }: Asking,
): Promise<string | undefined> {
  const trace = await findTrace({ ...traces, env });
  if (trace !== undefined) {
    throw new AlreadyPublished(
      `there is no published tree, but ${trace.what}, and a first list would start the registry over: load the published tree first, with ` +
        `the command that \`status\` shows. If this registry has never published, ${trace.otherwise}`,
    );
  }
  const hosts = baseUrl === undefined ? mirrors : [baseUrl, ...mirrors];
  if (hosts.length === 0) return undefined;
  const { rootKey } = traces;
  const signal = AbortSignal.timeout(HOSTS_TIMEOUT_MS);
  const found = await askHosts(hosts, { rootKey, folder: undefined, now: Date.now(), signal });
  const served = found.find((host) => isOf(host, rootKey.thumbprint));
  if (served !== undefined)
    throw new AlreadyPublished(
      `${served.url} serves a list of this root key, and a first list would start the registry over: load the published tree ` +
        'first, with the command that `status` shows',
    );
  const [live] = found;
  // A deleted tree looks like a new registry, so no answer is no permission. Somebody has published a list of another key.
  const doubtful = found.filter(
    (host) => isOfOther(host) || (baseUrl !== undefined && host === live && !isAnswer(host)),
  );
  if (doubtful.length > 0) {
    const start = doubtful.some(isOfOther)
      ? 'If that list is of this registry, its verifiers refuse this key, to which no rotation leads: find that key first.'
      : 'If this registry has published, a first list would start it over: load the published tree first, as `status` shows.';
    await confirmNew(`${doubtful.map(answerOf).join(' ')} ${start}`);
  }
  const said = found.filter((host) => !doubtful.includes(host));
  return said.length === 0 ? undefined : said.map(answerOf).join(' ');
}

/** Whether a host tells that nothing was published there: it has no list, or a preview. */
function isAnswer({ empty, claimed }: HostStatus): boolean {
  return empty === true || (claimed?.rootKey !== undefined && claimed.development);
}

/** Whether a host serves a list of another root key which is no preview. The registry may have lost the key that it had. */
function isOfOther({ empty, claimed }: HostStatus): boolean {
  return empty !== true && claimed?.rootKey !== undefined && !claimed.development;
}

/** Whether a host serves a list of a root key or of a later one, damaged or not. */
function isOf({ updatedAt, empty, claimed }: HostStatus, rootKey: string): boolean {
  return updatedAt !== undefined || (empty !== true && claimed?.rootKey === rootKey);
}

function answerOf(host: HostStatus): string {
  const { url, state, empty, problem, claimed } = host;
  if (isOfOther(host)) return `${url} serves a list of another root key, ${claimed?.rootKey}.`;
  if (empty === true) return `${url} serves no list.`;
  if (state === 'unreachable') return `${url} does not show whether it serves a list: ${problem}.`;
  return `${url} serves no list of this root key: ${problem}.`;
}

/**
 * Asserts that base_url serves nothing newer than the published tree, and holds no issuer that a new checkpoint would release
 * (rule hold-kept): the tree may be a copy of an earlier day. No answer is no reason to stop, because an issuer may have to be
 * stopped while the host is down.
 *
 * @returns why that is unknown, for people. Undefined if it is known, or if a development key has signed the tree
 * @throws {@link AlreadyPublished}
 */
export async function assertFollowsHost({
  published,
  settings: { base_url: baseUrl, root_key: rootKeyFile },
  env,
  config,
  decided = [],
  stopped = [],
  witnesses = [],
  ...next
}: NextTree): Promise<string | undefined> {
  const { folder: out, rootKey } = published;
  if (rootKey === undefined || published.development) return undefined;
  const other = await historyOfWitnesses(published, witnesses);
  const refused = other && new AlreadyPublished(`${other}. Nothing was signed: ${wayBack(out)}`);
  if (baseUrl === undefined && refused !== undefined) throw refused;
  if (baseUrl === undefined)
    return `${out} was not compared with any host, because no base_url is known in this folder (registry.yaml).`;
  const signal = AbortSignal.timeout(HOSTS_TIMEOUT_MS);
  const [host] = await askHosts([baseUrl], { rootKey, folder: out, now: Date.now(), signal });
  if (host === undefined) throw new TypeError('no answer about a host that was asked');
  const given = next.onlineKeys && { keys: next.onlineKeys };
  const tree = await ownTree(published, rootKey);
  const delegation = given ?? (await verified(next.delegation, rootKey));
  const parts = await compareTrees(host, tree, { delegation, signal });
  const whole = compareWhole(parts);
  if (whole === undefined) {
    if (refused !== undefined) throw refused;
    const why = host.empty === true ? 'it serves no list' : (host.problem ?? 'the tree cannot be read');
    return `${baseUrl} was not compared with ${out}: ${why}. When it answers, run \`status\` before you publish ${out}.`;
  }
  const repeats =
    whole === 'other' && stopped.length > 0 && stopped.every((id) => stopsOfHost(parts).includes(id));
  const isForeign = parts.rootKey === 'newer' && isForeignKey(host, parts, await pinnedIn(rootKeyFile, env));
  if (isForeign && !repeats)
    throw new AlreadyPublished(`${foreignKey(host)}. Nothing was signed: ${askEverybody(host.rootKey)}`);
  // A key that the tree has replaced stops no signature: whoever has stolen it may publish whatever they like.
  const isReplaced = whole === 'other' && parts.rootKey === 'older';
  const { message, details } = twoHistories(host, tree, parts);
  const histories = [message, ...details].join('; ');
  if (whole === 'other' && !isReplaced && !repeats)
    throw new AlreadyPublished(
      `${histories}. Nothing was signed: do what \`status\` says next, which loads one of them, and run this again`,
    );
  if (whole === 'newer') throw newerHost(host, { out, config }, parts);
  // Of two histories, the host has shown one, and the rule for those decides.
  if (refused !== undefined && whole !== 'other') throw refused;
  const released =
    decided === 'all' ? [] : (parts.holds?.onlyHost ?? []).filter((id) => !decided.includes(id));
  if (released.length === 0) {
    if (isReplaced) return `${histories}. Publish ${out} as \`status\` says.`;
    if (whole === 'same' || parts.isProven) return undefined;
    const stops = stopsInWords(parts, out);
    return `nothing shows that ${out} continues what ${baseUrl} serves: it is later by its number or time only${stops === undefined ? '' : `; ${stops}`}. Look at both before you publish ${out}.`;
  }
  const ids = released.join(', ');
  // At night, what stops another issuer must not wait for that.
  const both = [...released, ...stopped].join(' ');
  throw new AlreadyPublished(
    `${baseUrl} holds ${ids}, and ${out} does not, so a new checkpoint would release what nobody has ended here: run \`hold ${both}\`. ` +
      `Only if one of you has ended the hold elsewhere, publish ${out} as it is, with \`branch save ${out}\` or by a copy to the host, and run this again`,
  );
}

/** What a witness has cosigned, and the log of a tree lacks, in words. Undefined if no witness shows that. */
export async function historyOfWitnesses(
  { folder, statement }: Pick<PublishedTree, 'folder' | 'statement'>,
  witnesses: readonly Witness[],
): Promise<string | undefined> {
  if (statement?.log === undefined || witnesses.length === 0) return undefined;
  const read = (path: string) => readIfReadable(folder, path);
  const found = await otherHistory(witnesses, { read, vkeys: [statement.log.vkey] });
  return found && `${found}: ${folder} is an old copy, or the log is forked`;
}

/** The way out if witnesses have cosigned what a tree lacks. */
export function wayBack(out: string): string {
  return (
    `witnesses never cosign what follows. Find the newest tree, in the folder in which it was signed, on a mirror or in a backup, and put ` +
    `it in the place of ${out}. Until then, \`hold\` stops issuers over the tree that the host serves. If it is lost for good, read ` +
    '"What can go wrong, and what stays" in the document log.md'
  );
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
