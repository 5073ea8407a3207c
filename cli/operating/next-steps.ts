import { isLoopback } from '@passport-registry/verifier/http';
import { buildStep, onlineKeyFirst, publishingOptions } from './build-step.js';
import { onlyExampleNames } from './changes-condition.js';
import { type Condition, LEVELS, type Level, mostUrgent } from './condition.js';
import { damageSteps, loadStep } from './damage-steps.js';
import { type CommandSettings, type NextStep, run, told } from './next-step.js';
import { rotatedStep, rotateStep, rotationFolderStep } from './rotation-steps.js';
import { shellWord } from './shell-word.js';
import type { RegistryStatus } from './status.js';
import type { StoppedIssuer } from './tree-comparison.js';

/** Returns what the operator should do, in order. Empty if there is nothing to do. */
export function nextSteps(status: RegistryStatus, settings: CommandSettings): readonly NextStep[] {
  const damage = damageSteps(status, settings);
  if (damage.length > 0) return damage;
  if (status.live.isForeign) return [foreignKeyStep(status)];
  if (status.live.keep !== undefined) return historySteps(status, settings);
  const { tree, rotation, changes, hold, rootKey } = status;
  const records = recordSteps(status, settings);
  const isUnfinished = rotation.state === 'unfinished';
  const lacksTree = isUnfinished && (!tree.published || isTreeOlder(status));
  if (lacksTree) return [...records, loadStep(status, settings), rotateStep(status, settings)];
  // The step is signed: nothing should be signed with the outgoing key any more.
  if (isUnfinished && rotation.signed)
    return [...records, rotateStep(status, settings), ...hostSteps(status, settings, true)];
  // Without the newest tree, a build could not compare the records with the published list.
  const renewal = isTreeOlder(status) ? [] : publicationSteps(status, settings);
  const hosts = hostSteps(status, settings, renewal.length > 0);
  // A hold that nobody sees stops nobody, and is signed already.
  const isUnheld = hold.level === 'error' && !isTreeOlder(status);
  const publication = isUnheld || isPublishedFirst(status) ? [...hosts, ...renewal] : [...renewal, ...hosts];
  // Records that would stop a build come before that build.
  const stops = changes.toCommit === undefined && renewal.length > 0;
  // Nothing was published that the host lacks: what is unpublished comes first.
  const commits = changes.toCommit !== undefined;
  const recorded = { level: stops ? 'error' : changes.level, steps: records } as const;
  return mostUrgentFirst([
    { level: rootKey.level, steps: rotatedStep(status, settings) },
    ...(commits ? [] : [recorded]),
    { level: levelOfTree(status), steps: [...holdAgainSteps(status, settings), ...publication] },
    ...(commits && !isTreeOlder(status) ? [recorded] : []),
    { level: status.delegation.level, steps: strayKeyStep(status) },
    { level: hold.level, steps: isTreeOlder(status) ? [] : holdSteps(status, settings) },
    {
      level: rotation.level,
      steps: isUnfinished ? [rotateStep(status, settings)] : rotationFolderStep(status),
    },
  ]);
}

/**
 * Whether the tree should reach the host as it is, although a checkpoint should follow: what signs that may not be here, and
 * until then nobody stops an issuer.
 */
function isPublishedFirst(status: RegistryStatus): boolean {
  const { live, tree, list, publication, log, delegation, checkpoint, changes } = status;
  const { comparedWithTree, parts } = live;
  // Verifiers would refuse it.
  const isRefused = [tree, list, publication, log, delegation, checkpoint].some(
    ({ level }) => level === 'error',
  );
  if (comparedWithTree !== 'older' || parts?.checkpoint === 'newer' || isRefused || log.pending) return false;
  const isStop = parts?.stops !== undefined && parts.stops.onlyTree.length > 0;
  const lacksWitnesses = log.cosigned !== undefined && log.cosigned < log.quorum;
  return isStop || (lacksWitnesses && changes.changes.length === 0);
}

/** After an online key was replaced, registry.yaml can still name the old one. To delegate to that would trust it again. */
function strayKeyStep({ delegation }: RegistryStatus): NextStep[] {
  if (delegation.strayKey === undefined) return [];
  return [
    told(
      `let public_key and signer of checkpoint in registry.yaml name the key that the delegation names, ${delegation.onlineKeys.join(' or ')}`,
    ),
  ];
}

/** Nobody but the people of the registry knows whether a rotation is theirs, so no command may adopt the key or undo it. */
function foreignKeyStep({ live }: RegistryStatus): NextStep {
  const key = live.host?.rootKey;
  return told(
    `ask everybody who has the root key whether they have rotated it to ${key}. If one of you has, get root_key and the other settings from there, and run \`status\` again. If not, the root key has leaked: keep the folder as it is, and see "The root key has leaked" in the document emergency.md`,
  );
}

/** Steps that need each other, and the level of the most urgent condition that they mend. */
interface StepGroup {
  readonly level: Level;
  readonly steps: readonly NextStep[];
}

/** Of two groups with the same level, the first in the list may be the cause of the other. */
function mostUrgentFirst(groups: readonly StepGroup[]): readonly NextStep[] {
  return LEVELS.flatMap((level) => groups.filter((one) => one.level === level)).flatMap(({ steps }) => steps);
}

/** How urgent it is to make the tree valid, and to bring it to the hosts. */
function levelOfTree(status: RegistryStatus): Level {
  const { tree, list, publication, log, delegation, checkpoint, changes, live, mirrors } = status;
  const changed = changes.state === 'changed' ? [changes] : [];
  const parts = [tree, list, publication, log, delegation, checkpoint, ...changed, live, ...mirrors];
  return mostUrgent(parts.map(({ level }) => level));
}

/** A hold is for the time until the root key is there: then the list says what becomes of the issuer. */
function holdSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { out, onlineOptions } = settings;
  const { issuers = [], releasable } = status.hold;
  const undecided = issuers.filter((id) => !releasable.includes(id));
  const where = out === 'dist' ? [] : ['--out', out];
  const end = (reason: string, ...words: readonly string[]) =>
    run(reason, 'hold', '--end', ...words, ...where, ...onlineOptions);
  // Pasted at night, one command for all would end each of them.
  const mistaken = end('', undecided.length === 1 ? String(undecided[0]) : '<ID>', '--false-alarm');
  return [
    ...(undecided.length === 0
      ? []
      : [
          run(
            onlineKeyFirst(
              `suspend with the root key: ${undecided.join(', ')}; or, after a false alarm, run \`${mistaken.command}\``,
              status,
              settings,
            ),
            ...['suspend', String(undecided[0]), '--reason', '"<REASON>"'],
            ...publishingOptions(settings),
          ),
        ]),
    ...(releasable.length === 0
      ? []
      : [end('end the hold of issuers that the list has stopped', ...releasable)]),
  ];
}

/** What a checkpoint of the host holds, and the tree does not: to publish the tree would release them. */
function holdAgainSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const ids = status.live.parts?.holds?.onlyHost ?? [];
  if (ids.length === 0 || isTreeOlder(status)) return [];
  const reason = `hold again what only the host holds: ${ids.join(', ')}; or, if you have ended these holds here, go on with the next step`;
  return [holdStep(reason, ids, settings)];
}

function holdStep(reason: string, ids: readonly string[], { out, onlineOptions }: CommandSettings): NextStep {
  return run(reason, 'hold', ...ids, ...(out === 'dist' ? [] : ['--out', out]), ...onlineOptions);
}

/** Brings the host's tree here, and holds again what its checkpoint lacks. */
function loadSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const load = loadStep(status, settings);
  const { list, holds } = status.live.parts ?? {};
  const { onlyHost = [], onlyTree = [] } = holds ?? {};
  if (onlyTree.length === 0 && onlyHost.length === 0) return [load];
  const lost =
    onlyTree.length === 0 ? '' : `; then hold again what only ${settings.out} holds: ${onlyTree.join(', ')}`;
  // Another list is signed by the root key, so the holds are not the only work of whoever published it.
  const isThief =
    list === 'same'
      ? '. If nobody of you has signed the checkpoint of the host, the online key has leaked: do not load its tree, and see "The online key has leaked" in the document emergency.md'
      : '';
  const step = { ...load, reason: `${load.reason}${lost}${isThief}` };
  if (onlyTree.length === 0) return [step];
  const { command } = holdStep('', onlyTree, settings);
  return load.command === undefined
    ? [step, { command, reason: 'hold again' }]
    : [{ ...step, command: `${load.command} && ${command}` }];
}

/**
 * Of two histories, one has to go: nothing continues both. Whichever remains, it gets what only the other stops, so that nobody is
 * released. The document has the other way.
 */
function historySteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  return status.live.keep === 'tree' ? treeWay(status, settings) : hostWay(status, settings);
}

function hostWay(status: RegistryStatus, settings: CommandSettings): NextStep[] {
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
function treeWay(status: RegistryStatus, settings: CommandSettings): NextStep[] {
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
  return again.map(({ issuer_id, status: to }) =>
    run(
      reason,
      ...[to === 'revoked' ? 'revoke' : 'suspend', issuer_id, '--reason', '"<REASON>"'],
      ...publishingOptions(settings),
    ),
  );
}

/** Whether the live registry has a newer tree than the output folder, or the output folder has none although one was published. */
function isTreeOlder({ tree, live, mirrors }: RegistryStatus): boolean {
  if (tree.published) return live.comparedWithTree === 'newer';
  if (tree.trace !== undefined && tree.trace.delegation === undefined) return true;
  return [live, ...mirrors].some(({ host }) => host?.updatedAt !== undefined);
}

function recordSteps(
  { changes, tree, live, mirrors }: RegistryStatus,
  settings: CommandSettings,
): NextStep[] {
  const { issuers, out, rootKeyOptions } = settings;
  const isEmpty = changes.state === 'none' || changes.state === 'empty';
  if (isEmpty && tree.published) return [told(`restore the records in ${issuers}, for example from git`)];
  if (isEmpty) return [run('create the first record', 'new', '<ISSUER_ID>')];
  if (changes.toCommit !== undefined)
    return [
      {
        command: `git add ${changes.toCommit.map(shellWord).join(' ')} && git commit -m "Published records"`,
        reason: `commit what was published, and push it: a build in another clone would otherwise publish the old state again`,
      },
    ];
  if (changes.problems.length === 0) return [];
  const isPublic = [live, ...mirrors].some(({ host }) => host?.updatedAt !== undefined);
  const again =
    tree.published && !isPublic
      ? `; if the list was never published, on no host and no branch, remove ${out} to start again`
      : '';
  const reason = onlyExampleNames(changes.problems)
    ? 'see the names that are reserved for examples; replace them, or pass --allow-example-names to `status` and to builds'
    : `see what would stop a build, and fix it${again}`;
  // Without this option, `diff` and `check` allow these names, as a build with a development key does.
  const production = changes.problems.some(({ rule }) => rule === 'example-name') ? ['--production'] : [];
  // `diff` shows the problems of the records, too.
  if (tree.published) {
    return [run(reason, 'diff', out, issuers, ...rootKeyOptions, ...settings.overrideOptions, ...production)];
  }
  return [run(reason, 'check', issuers, ...production)];
}

/** The steps that renew the tree: a delegation, a build, a checkpoint. */
function publicationSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { tree, checkpoint, log, changes } = status;
  const { out } = settings;
  // What the published files lack may be in the publication that `checkpoint` completes.
  if (log.pending && changes.changes.length === 0) {
    return [checkpointStep('collect cosignatures, and complete the publication', status, settings)];
  }
  const { expires, strayKey } = status.delegation;
  // A first list that promises checkpoints needs a delegation, which may be signed already.
  const signed = tree.trace?.delegation;
  const isFirst = !tree.published && settings.hasOnlineKey && signed === undefined;
  const renewsDelegation = isUrgent(status.delegation) && expires !== undefined && strayKey === undefined;
  const delegates = isFirst || renewsDelegation;
  const reasons = reasonsToBuild(status, delegates);
  if (reasons.length === 0) {
    const wanted = [
      ...(log.level === 'warning' ? ['collect the missing cosignatures'] : []),
      ...(isUrgent(checkpoint) ? ['sign a new checkpoint'] : []),
    ];
    return wanted.length === 0 ? [] : [checkpointStep(wanted.join(', and '), status, settings)];
  }
  const renews = isUrgent(status.list) ? ['--renew'] : [];
  const file = delegates ? 'delegation.jwt' : signed;
  const delegation = file === undefined ? [] : ['--delegation', file];
  const build = buildStep(
    { reason: reasons.join(', and '), more: [...renews, ...delegation] },
    status,
    settings,
  );
  const step = delegates ? both(delegateStep(status, settings), build) : build;
  if (changes.lifted.length > 0) return [pullFirst(changes.lifted, step), step];
  return [...(mayHavePublished(status) && tree.hasRemote ? [loadFirst(out, build)] : []), step];
}

/** Records of before a suspension look like its end. Only the operator knows. */
function pullFirst(lifted: readonly string[], { command }: NextStep): NextStep {
  return {
    command: 'git pull',
    reason: `get the newest records, because a build would lift the suspension of ${lifted.join(', ')}; if nobody has pushed them, write \`status: suspended\` into these records; only to end it, run \`${command}\` with the records as they are`,
  };
}

/** The step that needs the online key if the tree has a checkpoint, valid or not, and no key otherwise. */
function checkpointStep(
  reason: string,
  { tree, checkpoint }: RegistryStatus,
  { out, onlineOptions }: CommandSettings,
): NextStep {
  const signs = tree.published && checkpoint.message !== 'none' ? onlineOptions : [];
  return run(reason, 'checkpoint', out, ...signs);
}

/** Only the build shows that a delegation was signed, so both are one step: otherwise, it would be proposed again. */
function both(first: NextStep, second: NextStep): NextStep {
  return { command: `${first.command} && ${second.command}`, reason: `${first.reason}; ${second.reason}` };
}

function loadFirst(out: string, { command }: NextStep): NextStep {
  const reason = `load the tree that this registry has published, from the branch or from a copy; if it has never published, run \`${command}\``;
  return run(reason, 'branch', 'load', out);
}

/** No host shows a list, but a host can lose its files, too: only the operator knows. */
const FIRST_LIST = 'publish the first list; if this registry has published before, copy its tree here first';

/** Whether there is no tree here, and the host does not show whether a list was published. */
function mayHavePublished({ tree, live }: RegistryStatus): boolean {
  return !tree.published && live.url !== undefined && live.host?.state === 'unreachable';
}

/** The new delegation permits what the published one permits. */
function delegateStep(
  { delegation, tree }: RegistryStatus,
  { rootOptions, onlinePublicKey }: CommandSettings,
): NextStep {
  const online = ['--online', onlinePublicKey, ...(delegation.mayHold ? ['--hold'] : [])];
  const words = ['keys', 'delegate', ...rootOptions, ...online, '>', 'delegation.jwt'];
  const more = tree.published ? '' : '; with --hold, the online key may also stop issuers';
  return run(`sign a new delegation, on the machine with the root key${more}`, ...words);
}

function reasonsToBuild(status: RegistryStatus, delegates: boolean): string[] {
  const { changes, tree, list, publication } = status;
  const reasons = [];
  if (!tree.published) reasons.push(FIRST_LIST);
  else if (tree.level === 'error') reasons.push('repair the tree');
  else if (publication.level === 'warning') reasons.push('sign a publication statement');
  if (tree.published && changes.changes.length > 0) reasons.push('publish the changes');
  if (tree.missingPages > 0) reasons.push('make the pages of issuers');
  if (delegates) reasons.push('publish the delegation');
  if (isUrgent(list) && list.ageDays !== undefined) reasons.push('renew the list');
  return reasons;
}

function isUrgent({ level }: Condition): boolean {
  return level === 'error' || level === 'warning';
}

/** The steps that bring the tree to the host: through a branch or, where git has no remote, by a copy. */
function publishSteps({ tree }: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { out, baseUrl, rootKeyOptions } = settings;
  const copy = `copy ${out} to the host${baseUrl === undefined ? '' : ` of ${baseUrl}`}`;
  const verify = (reason: string) =>
    baseUrl === undefined ? [] : [run(reason, 'verify', baseUrl, '--expect', out, ...rootKeyOptions)];
  if (tree.hasRemote) {
    const save = run(`save ${out} on the branch and deploy it, or ${copy}`, 'branch', 'save', out);
    return [save, ...verify('verify what the host serves')];
  }
  return baseUrl === undefined ? [told(copy)] : verify(`${copy}, and verify what the host serves`);
}

function serveStep({ port, protocol }: URL, { out }: CommandSettings): NextStep {
  const number = port || (protocol === 'https:' ? '443' : '80');
  const reason = `let this machine serve ${out} as base_url says, in place of a preview; or set base_url to the URL of a host, and copy ${out} there`;
  return run(reason, 'serve', out, '--port', number);
}

function hostSteps(status: RegistryStatus, settings: CommandSettings, isRenewed: boolean): NextStep[] {
  const { live, mirrors } = status;
  const { rootKeyOptions } = settings;
  const late = mirrors.filter(({ level }) => level === 'error').map(({ url }) => url);
  const ask = late.length === 0 ? [] : [told(`ask the operators of these mirrors: ${late.join(', ')}`)];
  const verify = (url: string) =>
    run('verify what the host serves', 'verify', shellWord(url), ...rootKeyOptions);
  if (isTreeOlder(status)) return [...loadSteps(status, settings), ...ask];
  const { host, url } = live;
  const isLate = live.comparedWithTree === 'older' || host?.empty === true;
  const isAbsent = host?.state === 'unreachable' || host?.claimed?.development === true;
  // On this machine, an experiment: nothing else serves that address.
  if (isAbsent && !isRenewed && url !== undefined && isLoopback(new URL(url)))
    return [serveStep(new URL(url), settings), ...ask];
  if (isRenewed || isLate || isAbsent || host?.state === 'expired') {
    // Verifiers that have seen the checkpoint of the host refuse an older one.
    const isEarlier = !isRenewed && live.comparedWithTree === 'older' && live.parts?.checkpoint === 'newer';
    const sign = isEarlier
      ? [checkpointStep('sign a later checkpoint than that of the host', status, settings)]
      : [];
    return [...sign, ...publishSteps(status, settings), ...ask];
  }
  return [...(live.level === 'error' && live.url !== undefined ? [verify(live.url)] : []), ...ask];
}
