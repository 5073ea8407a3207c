import { commandLine, shellWord } from '../../command-line.js';
import { holdCommand } from '../../hosts/load-commands.js';
import { heldUnverified } from '../../hosts/tree-comparison.js';
import type { RegistryStatus } from '../status.js';
import { fromHost } from './load-steps.js';
import {
  type CommandSettings,
  checkpointStep,
  inSentences,
  laterCheckpointSteps,
  type NextStep,
  onlineKeyFirst,
  run,
  told,
} from './next-step.js';

/**
 * The steps that let the hosts serve the tree.
 *
 * @param isRenewed - whether the tree is renewed as well
 */
export function hostSteps(status: RegistryStatus, settings: CommandSettings, isRenewed: boolean): NextStep[] {
  return [...liveSteps(status, settings, isRenewed), ...askMirrors(status)];
}

function liveSteps(status: RegistryStatus, settings: CommandSettings, isRenewed: boolean): NextStep[] {
  const { host, url, level, comparedWithTree } = status.live;
  const isLate = comparedWithTree === 'older' || host?.empty === true;
  const isPreview = host?.claimed?.development === true;
  const isAway = host?.state === 'unreachable';
  // On this machine, an experiment: nothing else serves that address.
  if (isPreview && !isRenewed && url !== undefined && isServed(new URL(url)))
    return [serveStep(new URL(url), settings)];
  if (status.live.isFirst) return firstSteps(status, settings);
  if (isAway) return [told(untilItAnswers(url, settings))];
  // The same publication, of which only a part was copied.
  const isTorn = comparedWithTree === 'same' && level === 'error';
  if (isRenewed || isLate || isPreview || isTorn || host?.state === 'expired') {
    const mayBeEarlier = !isRenewed && comparedWithTree === 'older';
    const sign = mayBeEarlier ? laterCheckpointSteps(status, settings) : [];
    return [...sign, ...publishSteps(status, settings)];
  }
  if (level !== 'error' || url === undefined) return [];
  const words = ['verify', shellWord(url), ...settings.rootKeyOptions];
  return [run('verify what the host serves', settings, ...words)];
}

/** The host is not there yet, as far as anybody here can tell. */
function firstSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { url } = status.live;
  const address = url === undefined ? undefined : new URL(url);
  const steps =
    address !== undefined && isServed(address)
      ? [run(`let this machine serve ${settings.out} there`, settings, ...serveWords(address, settings.out))]
      : publishSteps(status, settings);
  const unless = `If somebody has published already, wait until ${url} answers, and run \`status\` again`;
  return steps.map((step, index) =>
    index === 0 ? { ...step, reason: inSentences(step.reason, unless) } : step,
  );
}

/** What another operator has published meanwhile would be undone, such as a hold. */
function untilItAnswers(url: string | undefined, settings: CommandSettings): string {
  const { out } = settings;
  const address = url === undefined ? undefined : new URL(url);
  const how =
    address !== undefined && isServed(address)
      ? `it is on this machine: run \`${commandLine(settings, ...serveWords(address, out))}\``
      : `copy ${out} there now`;
  return `wait until ${url} answers, and run \`status\` again: what it serves was not compared with ${out}. Only if it has served nothing later, ${how}`;
}

/** A mirror that is late or altered is its operator's to repair. */
export function askMirrors({ mirrors }: RegistryStatus): NextStep[] {
  const late = mirrors.filter(({ level }) => level === 'error').map(({ url }) => url);
  return late.length === 0 ? [] : [told(`ask the operators of these mirrors: ${late.join(', ')}`)];
}

/** Whether `serve` answers at a URL. */
function isServed({ protocol, hostname, pathname }: URL): boolean {
  return protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname) && pathname === '/';
}

function serveStep(url: URL, settings: CommandSettings): NextStep {
  const { out } = settings;
  const reason = `stop the preview at ${url.origin}, and let this machine serve ${out} there. Or set base_url to the URL of a host, and copy ${out} there`;
  return run(reason, settings, ...serveWords(url, out));
}

const serveWords = ({ port }: URL, out: string) => ['serve', out, '--port', port || '80'];

/** The steps that bring the tree to the host: through a branch or, where git has no remote, by a copy. */
export function publishSteps({ tree }: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { out, baseUrl, rootKeyOptions } = settings;
  const copy = `copy ${out} to the host${baseUrl === undefined ? '' : ` of ${baseUrl}`}`;
  const verify = (reason: string) =>
    baseUrl === undefined
      ? []
      : [run(reason, settings, 'verify', baseUrl, '--expect', out, ...rootKeyOptions)];
  if (tree.hasRemote) {
    const save = run(`save ${out} on the branch and deploy it, or ${copy}`, settings, 'branch', 'save', out);
    return [save, ...verify('verify what the host serves')];
  }
  return baseUrl === undefined
    ? [told(copy)]
    : verify(`${copy} yourself, and then verify what the host serves`);
}

/**
 * Whether the tree should reach the host as it is, although a checkpoint should follow: what signs that may not be here, and
 * until then nobody stops an issuer. A list that lacks cosignatures is published first for witnesses that see only that:
 * verifiers that demand a quorum refuse the list, with every hold.
 */
export function isPublishedFirst(status: RegistryStatus): boolean {
  const { live, tree, list, publication, log, online, checkpoint, changes } = status;
  const { comparedWithTree, parts } = live;
  // Verifiers would refuse it.
  const isRefused = [tree, list, publication, log, online, checkpoint].some(({ level }) => level === 'error');
  if (comparedWithTree !== 'older' || parts?.checkpoint === 'newer' || isRefused || log.pending) return false;
  const isStop = parts?.stops !== undefined && parts.stops.onlyTree.length > 0;
  return isStop || (lacksWitnesses(status) && changes.changes.length === 0);
}

/**
 * Whether verifiers that demand witnesses would refuse the tree, and every hold with it, where they now accept what the host
 * serves. The publication that the host has, too, is refused already: only its checkpoint is new.
 */
export function isUncosigned(status: RegistryStatus): boolean {
  const isOnHost = status.live.parts?.publication === 'same';
  return lacksWitnesses(status) && !status.log.pending && !isOnHost;
}

/** Over what a thief has published, no witness cosigns the tree any more: nothing would come of waiting. */
export function lacksWitnesses({ log: { cosigned, quorum, isOverThief } }: RegistryStatus): boolean {
  return cosigned !== undefined && cosigned < quorum && isOverThief === undefined;
}

/** The step that a tree needs which replaces what the host serves, before that. */
export function cosignedFirst(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  if (!isUncosigned(status)) return [];
  return [
    checkpointStep(`collect the cosignatures. Do not publish ${settings.out} before`, status, settings),
  ];
}

/** A copy of what the host serves, over which issuers are held while the tree must not be published. */
export const COSIGNED = 'cosigned';

/** Whom only the tree stops. */
function idsToHold({ live }: RegistryStatus): readonly string[] {
  const stops = live.parts?.stops?.onlyTree.map(({ issuer_id }) => issuer_id) ?? [];
  const held = live.host?.checkpoint?.hold ?? [];
  return [...new Set([...live.lostHolds, ...stops])].filter((id) => !held.includes(id));
}

/** Whether the copy holds them already: the witnesses may be back since. */
export function isHeldInCopy(status: RegistryStatus): boolean {
  const [ids, held] = [idsToHold(status), heldUnverified(COSIGNED)];
  return ids.length > 0 && ids.every((id) => held.includes(id));
}

/** Stops, over the tree that the host serves, whom only the tree stops that must not be published yet. */
export function cosignedSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { live, online } = status;
  const ids = idsToHold(status);
  if (ids.length === 0 || !online.mayHold || live.host?.updatedAt === undefined) return [];
  if (isHeldInCopy(status)) return [];
  const load = fromHost(live.host.url, settings, { into: COSIGNED, replaces: false });
  const hold = holdCommand(ids, { ...settings, out: COSIGNED });
  const checkpoint = commandLine(settings, 'checkpoint', settings.out);
  const reason = `until \`${checkpoint}\` ends with 0, hold ${ids.join(', ')} over what ${live.url} serves, and copy ${COSIGNED} to the host. Do not copy ${settings.out}, whose list lacks cosignatures`;
  return [{ command: `rm -rf ${COSIGNED} && ${load} && ${hold}`, reason: onlineKeyFirst(reason, settings) }];
}
