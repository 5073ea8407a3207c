import type { Issuer, Registry, RegistryClient } from '@passport-registry/verifier';
import { type Child, element, rich } from '../dom/element.js';
import { moment } from '../dom/moment.js';
import { visibleId } from '../dom/visible-text.js';
import { wordFor } from '../dom/word.js';
import { changesList } from '../list/changes-list.js';
import { similarIds, similarIdsView } from '../list/similar-ids.js';
import { type ShownStatus, shownStatus, statusClass, statusIcon } from '../list/status-mark.js';
import type { Change, Changes } from '../registry/changes.js';
import { listFragment } from '../route.js';
import { issuer as text, tiers } from '../texts/en.js';
import { keyFields, purposeFields, trustFields } from './record-fields.js';
import { type UseContext, useView } from './use-view.js';

/** What is known of an issuer besides its record. */
export interface IssuerContext extends UseContext {
  /** The ids of the held issuers. */
  readonly hold: readonly string[];
  /** When the checkpoint was signed. Undefined without a checkpoint. */
  readonly checkpointSignedAt: Date | undefined;
  /** What is known of the past. Undefined before the list has been loaded. */
  readonly past?: IssuerPast;
}

/** What is known of the past of an issuer. */
export interface IssuerPast {
  /** Undefined if no checkpoint covers the changes. */
  readonly changes: Changes | undefined;
  /** The history from the log. Undefined if the list is not proven to be in a log. */
  readonly history: HTMLElement | undefined;
}

/** The view of an id, under the verified list. */
export function listedIssuerView(
  id: string,
  registry: RegistryClient,
  { trustAnchor, changes, history }: IssuerPast & Pick<UseContext, 'trustAnchor'>,
): HTMLElement {
  const issuer = registry.resolve(id);
  if (issuer === undefined) return unknownIssuerView(id, registry, history);
  return issuerView(issuer, {
    trustAnchor,
    hold: registry.hold,
    checkpointSignedAt: registry.status().checkpointSignedAt,
    decide: (policy) => registry.decide(id, policy),
    past: { changes, history },
  });
}

/** The view of one issuer: whether to trust it and why, what for, its keys, its history, and how to use it. */
export function issuerView(issuer: Issuer, context: IssuerContext): HTMLElement {
  const { issuer_id } = issuer;
  const status = shownStatus(issuer, context.hold);
  return element(
    'article',
    { class: 'issuer' },
    backLink(),
    element(
      'div',
      { class: `verdict ${toneOf(issuer, status)}` },
      statusIcon(status),
      element(
        'div',
        {},
        element('p', {}, verdictOn(issuer, status, context.checkpointSignedAt)),
        element(
          'p',
          { class: 'tier' },
          element('strong', {}, issuer.tier),
          `: ${wordFor(tiers, issuer.tier) ?? ''}`,
        ),
      ),
    ),
    trustFields(issuer, status, latestStatusChange(issuer, context.past?.changes)),
    heading(text.purpose),
    purposeFields(issuer),
    heading(text.keys),
    keyFields(issuer),
    context.past === undefined ? undefined : historyOf(issuer_id, context.past),
    heading(text.use),
    useView(issuer, context),
    element(
      'details',
      { class: 'record' },
      element('summary', {}, text.record),
      element('p', {}, recordSource(issuer_id, context.past !== undefined)),
      element('pre', {}, element('code', {}, JSON.stringify(issuer, undefined, 2))),
    ),
  );
}

/** The verified change that gave the issuer its status. The changes are sorted, newest first. */
function latestStatusChange({ issuer_id, status }: Issuer, changes: Changes | undefined): Change | undefined {
  const latest = changes?.changes.find((one) => one.issuer_id === issuer_id && one.field === 'status');
  return latest?.to === status && latest.from !== null ? latest : undefined;
}

function heading(words: string): HTMLElement {
  return element('h3', {}, words);
}

function historyOf(id: string, { changes, history }: IssuerPast): Child[] {
  const own = changes && { ...changes, changes: changes.changes.filter(({ issuer_id }) => issuer_id === id) };
  return [heading(text.history), changesList(own, false), history];
}

function recordSource(id: string, isInList: boolean): Child[] {
  if (!isInList) return [text.recordProven];
  const file = element('a', { href: `issuers/${encodeURIComponent(id)}` }, `issuers/${id}`);
  return rich(text.recordInList, { file });
}

/** Which examination by the operator a tier stands for. An unknown tier stands for none. */
function examinationOf({ tier }: Issuer): 'examined' | 'listed' | 'tests' {
  if (tier === 'sandbox') return 'tests';
  return tier === 'founding' || tier === 'certified' ? 'examined' : 'listed';
}

/** The colour of the verdict. Green is only for an issuer that the operator has examined. */
function toneOf(issuer: Issuer, status: ShownStatus): string {
  const tones = { examined: 'active', listed: '', tests: 'suspended' };
  return status === 'active' ? tones[examinationOf(issuer)] : statusClass(status);
}

function verdictOn(issuer: Issuer, status: ShownStatus, checkpointSignedAt: Date | undefined): Child[] {
  if (status === 'active') return [text.trust[examinationOf(issuer)]];
  if (status !== 'on hold') return [text.trust.stopped(status)];
  return rich(text.trust.held, { time: moment(checkpointSignedAt?.toISOString() ?? '') });
}

/**
 * The view for an id that is not in the list.
 *
 * @param registry - where to look for similar ids. Undefined before the list has been loaded
 */
export function unknownIssuerView(id: string, registry?: Registry, history?: HTMLElement): HTMLElement {
  const verdict = rich(text.trust.unknown, {
    id: element('strong', {}, element('bdi', {}, visibleId(id))),
  });
  return element(
    'article',
    { class: 'issuer' },
    backLink(),
    element('div', { class: 'verdict revoked' }, statusIcon('revoked'), element('p', {}, verdict)),
    registry && similarIdsView(similarIds(id, registry.list()), ''),
    history,
  );
}

function backLink(): HTMLElement {
  return element('p', { class: 'back' }, element('a', { href: listFragment({}) }, text.back));
}
