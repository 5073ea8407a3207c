import { findNewest } from '../../hosts/in-words.js';
import type { StoppedIssuer } from '../../hosts/tree-comparison.js';
import type { RegistryStatus } from '../status.js';
import { holdStep } from './hold-steps.js';
import { cosignedFirst, publishSteps } from './host-steps.js';
import { loadAndHold, loadCommand } from './load-steps.js';
import {
  type CommandSettings,
  laterCheckpointSteps,
  type NextStep,
  PULL,
  publishingOptions,
  rootKeyFirst,
  run,
  told,
} from './next-step.js';
import { rotatedStep } from './rotation-steps.js';

/**
 * Of two histories, one has to go: nothing continues both. Whichever remains, it gets what only the other stops, so that nobody is
 * released. The document has the other way.
 */
export function historySteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { keep } = status.live;
  if (keep === undefined) return [];
  return keep === 'tree' ? keepTree(status, settings) : keepHost(status, settings);
}

/** Until the root key has stopped again what only the tree stops, the online key holds it, if it may. */
function keepHost(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { url, parts, lostHolds } = status.live;
  const { out, hasOnlineKey } = settings;
  const stops = stillStopped(parts?.stops?.onlyTree);
  const stopped = hasOnlineKey && status.online.mayHold ? stops.map(({ issuer_id }) => issuer_id) : [];
  const held = [...new Set([...lostHolds, ...stopped])];
  const then = held.length === 0 ? '. Then you can stop issuers again' : `, and hold what only ${out} stops`;
  const reason = `load that of ${url}, which others have seen${then}`;
  return [
    ...loadAndHold({ command: loadCommand(status, settings), reason }, held, settings),
    { command: PULL, reason: 'get the newest records' },
    ...stopSteps(stops, `do again what only ${out} has`, settings),
  ];
}

/** What only the host stops is stopped here before the tree is published, or else that would release it. */
function keepTree(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { url, parts } = status.live;
  const { out } = settings;
  const isReplaced = parts?.rootKey === 'older';
  const why = isReplaced ? `whose rotation has replaced the root key of ${url}` : 'which a mirror has';
  const thief = isReplaced ? ', unless a thief of that key has stopped it' : '';
  const stop = (when: string) =>
    `keep that of ${out}, ${why}. Stop here${when} what only ${url} stops${thief}`;
  const held = parts?.holds?.onlyHost ?? [];
  const stops = stopSteps(stillStopped(parts?.stops?.onlyHost), stop(', after `git pull`,'), settings);
  const signed = isReplaced && stops.length === 0 ? laterSteps(status, settings) : stops;
  return [
    ...(held.length === 0 ? [] : [holdStep(stop(''), held, settings)]),
    ...(signed.length === 0 ? [] : rotatedStep(status, settings)),
    ...signed,
    ...cosignedFirst(status, settings),
    ...publishSteps(status, settings),
  ];
}

/** Verifiers that have seen the list or the checkpoint of the host refuse older ones. */
function laterSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { list, live } = status;
  const isLater = list.updatedAt !== undefined && list.updatedAt > (live.host?.updatedAt ?? '');
  if (!isLater) {
    const why = 'verifiers may have seen the list of the host, which is later than yours, and refuse yours';
    return [told(`publish a change of any record, because ${why} until there is a later one`)];
  }
  return laterCheckpointSteps(status, settings);
}

/**
 * Witnesses have cosigned what the tree lacks: nothing should be signed over it with the root key. A hold may have been signed, and
 * stops issuers if enough witnesses have cosigned the list beside it.
 */
export function forkSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { log, live } = status;
  if (log.isForked === undefined || log.isOverThief) return [];
  const isCosigned = log.cosigned !== undefined && log.cosigned >= log.quorum && !log.pending;
  const isHold = isCosigned && live.parts?.publication === 'same' && live.parts.checkpoint === 'older';
  return [
    ...(isHold ? publishSteps(status, settings) : []),
    told(`build and publish nothing with the root key. First ${findNewest(settings.out)}`),
  ];
}

/** The other history has ended some stops on purpose: the condition names them, and nobody repeats them. */
function stillStopped(stopped: readonly StoppedIssuer[] = []): readonly StoppedIssuer[] {
  return stopped.filter(({ isEnded }) => isEnded !== true);
}

function stopSteps(stopped: readonly StoppedIssuer[], reason: string, settings: CommandSettings): NextStep[] {
  return stopped.map(({ issuer_id, status: to }) => {
    const command = to === 'revoked' ? 'revoke' : 'suspend';
    const words = [command, issuer_id, '--reason', '"<REASON>"', ...publishingOptions(settings)];
    return run(rootKeyFirst(reason, settings), settings, ...words);
  });
}
