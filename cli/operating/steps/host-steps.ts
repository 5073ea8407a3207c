import { isLoopback } from '@passport-registry/verifier/http';
import { commandLine, shellWord } from '../../command-line.js';
import type { RegistryStatus } from '../status.js';
import { type CommandSettings, type NextStep, told } from './next-step.js';
import { laterCheckpointSteps } from './signing-steps.js';

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
  const isAbsent = host?.state === 'unreachable' || host?.claimed?.development === true;
  // On this machine, an experiment: nothing else serves that address.
  if (isAbsent && !isRenewed && url !== undefined && isLoopback(new URL(url)))
    return [serveStep(new URL(url), settings)];
  if (isRenewed || isLate || isAbsent || host?.state === 'expired') {
    const mayBeEarlier = !isRenewed && comparedWithTree === 'older';
    const sign = mayBeEarlier ? laterCheckpointSteps(status, settings) : [];
    return [...sign, ...publishSteps(status, settings)];
  }
  if (level !== 'error' || url === undefined) return [];
  const verify = commandLine(settings, 'verify', shellWord(url), ...settings.rootKeyOptions);
  return [{ command: verify, reason: 'verify what the host serves' }];
}

/** A mirror that is late or altered is its operator's to repair. */
export function askMirrors({ mirrors }: RegistryStatus): NextStep[] {
  const late = mirrors.filter(({ level }) => level === 'error').map(({ url }) => url);
  return late.length === 0 ? [] : [told(`ask the operators of these mirrors: ${late.join(', ')}`)];
}

function serveStep({ port, protocol }: URL, settings: CommandSettings): NextStep {
  const { out } = settings;
  const number = port || (protocol === 'https:' ? '443' : '80');
  const reason = `let this machine serve ${out} as base_url says, in place of a preview; or set base_url to the URL of a host, and copy ${out} there`;
  return { command: commandLine(settings, 'serve', out, '--port', number), reason };
}

/** The steps that bring the tree to the host: through a branch or, where git has no remote, by a copy. */
export function publishSteps({ tree }: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { out, baseUrl, rootKeyOptions } = settings;
  const copy = `copy ${out} to the host${baseUrl === undefined ? '' : ` of ${baseUrl}`}`;
  const verify = (reason: string) => {
    if (baseUrl === undefined) return [];
    return [
      { command: commandLine(settings, 'verify', baseUrl, '--expect', out, ...rootKeyOptions), reason },
    ];
  };
  if (tree.hasRemote) {
    const save = commandLine(settings, 'branch', 'save', out);
    const reason = `save ${out} on the branch and deploy it, or ${copy}`;
    return [{ command: save, reason }, ...verify('verify what the host serves')];
  }
  return baseUrl === undefined ? [told(copy)] : verify(`${copy}, and verify what the host serves`);
}

/**
 * Whether the tree should reach the host as it is, although a checkpoint should follow: what signs that may not be here, and
 * until then nobody stops an issuer. A list that lacks cosignatures is published first for witnesses that see only that:
 * verifiers that demand a quorum refuse the list, with every hold.
 */
export function isPublishedFirst(status: RegistryStatus, { asksMirror }: CommandSettings): boolean {
  const { live, tree, list, publication, log, delegation, checkpoint, changes } = status;
  const { comparedWithTree, parts } = live;
  // Verifiers would refuse it.
  const isRefused = [tree, list, publication, log, delegation, checkpoint].some(
    ({ level }) => level === 'error',
  );
  if (comparedWithTree !== 'older' || parts?.checkpoint === 'newer' || isRefused || log.pending) return false;
  const isStop = parts?.stops !== undefined && parts.stops.onlyTree.length > 0;
  const lacksWitnesses = log.cosigned !== undefined && log.cosigned < log.quorum;
  // The publication that the host has, too, is refused already: only its checkpoint is new.
  if (lacksWitnesses && !asksMirror && parts?.publication !== 'same') return false;
  return isStop || (lacksWitnesses && changes.changes.length === 0);
}
