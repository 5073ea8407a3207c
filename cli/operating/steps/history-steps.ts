import type { RegistryStatus } from '../status.js';
import type { StoppedIssuer } from '../tree-comparison.js';
import { holdStep } from './hold-steps.js';
import { publishSteps } from './host-steps.js';
import { loadSteps } from './load-steps.js';
import { type CommandSettings, type NextStep, run } from './next-step.js';
import { publishingOptions } from './signing-steps.js';

/**
 * Of two histories, one has to go: nothing continues both. Whichever remains, it gets what only the other stops, so that nobody is
 * released. The document has the other way.
 */
export function historySteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  return status.live.keep === 'tree' ? keepTree(status, settings) : keepHost(status, settings);
}

function keepHost(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { url, parts } = status.live;
  const { out } = settings;
  const [load = { command: undefined }, ...more] = loadSteps(status, settings);
  return [
    { ...load, reason: `load that of ${url}, which others have seen; then you can stop issuers again` },
    ...more,
    { command: 'git pull', reason: 'get the newest records' },
    ...stopSteps(parts?.stops?.onlyTree, `do again what only ${out} has`, settings),
  ];
}

/** What only the host stops is stopped here before the tree is published, or else that would release it. */
function keepTree(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { url, parts } = status.live;
  const { out } = settings;
  const held = parts?.holds?.onlyHost ?? [];
  const stop = `keep that of ${out}, which a mirror has: stop here what only ${url} stops`;
  return [
    ...(held.length === 0 ? [] : [holdStep(stop, held, settings)]),
    ...stopSteps(parts?.stops?.onlyHost, `${stop}, after \`git pull\``, settings),
    ...publishSteps(status, settings),
  ];
}

/** The other history has ended some stops on purpose: the condition names them, and nobody repeats them. */
function stopSteps(
  stopped: readonly StoppedIssuer[] = [],
  reason: string,
  settings: CommandSettings,
): NextStep[] {
  const again = stopped.filter(({ isEnded }) => isEnded !== true);
  return again.map(({ issuer_id, status: to }) => {
    const command = to === 'revoked' ? 'revoke' : 'suspend';
    return run(reason, command, issuer_id, '--reason', '"<REASON>"', ...publishingOptions(settings));
  });
}
