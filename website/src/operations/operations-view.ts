import type { RegistryClient } from '@passport-registry/verifier';
import { type Child, element, rich } from '../dom/element.js';
import { fact, formatDuration, moment, webLink } from '../dom/facts.js';
import { icon } from '../dom/icons.js';
import { formatAge } from '../dom/time.js';
import { visibleMessage, visibleName } from '../dom/visible-text.js';
import { issuerFragment } from '../route.js';
import { list, log as logText, overview, operations as text, verification } from '../texts.js';
import type { KnownOperations } from './read-operations.js';

/** The state of the registry: its list, checkpoint, keys, mirrors, log and witnesses. */
export function operationsView(registry: RegistryClient, context: KnownOperations): HTMLElement {
  return element(
    'article',
    { class: 'operations' },
    headline(registry, context),
    element('p', { class: 'note' }, text.about),
    element(
      'div',
      { class: 'cards' },
      card(verification.list, listFacts(registry)),
      card(verification.checkpoint, checkpointFacts(registry, context)),
      card(logText.log, logFacts(context)),
    ),
    section(text.keys, eventsTable(registry, context)),
    section(text.mirrors, ...mirrors(context)),
    section(logText.witnesses, ...witnesses(context)),
  );
}

/** Whether the registry is in order, in a sentence. What is not known is told below. */
function headline(
  registry: RegistryClient,
  { report, refusal, log, witnesses }: KnownOperations,
): HTMLElement {
  const { checkpointSignedAt, freshUntil, errors } = registry.status();
  const isExpired = freshUntil === undefined || freshUntil.getTime() <= Date.now();
  const mirrors = report?.mirrors ?? [];
  const wrong = mirrors.filter(({ state }) => MIRROR_CLASSES[state] !== 'status active');
  const cosigned = witnesses.filter(({ cosignedAt }) => cosignedAt !== undefined);
  const { concerns } = text;
  const found = [
    isExpired && concerns.expired,
    checkpointSignedAt === undefined && concerns.unconfirmed,
    Object.keys(errors).length > 0 && verification.late,
    refusal !== undefined && concerns.report,
    wrong.length > 0 && concerns.mirrors(wrong.length, mirrors.length),
    log && cosigned.length < (report?.quorum ?? 0) && concerns.witnesses(cosigned.length),
  ].filter(Boolean);
  const unchecked = log === undefined || report === undefined ? text.unchecked : '';
  const until = moment(freshUntil?.toISOString() ?? '');
  return element(
    'div',
    { class: `verdict ${found.length === 0 ? 'active' : 'suspended'}` },
    icon(found.length === 0 ? 'check' : 'alert'),
    element(
      'p',
      {},
      found.length === 0 ? rich(text.well, { until, unchecked }) : `${text.attention} ${found.join('; ')}.`,
    ),
  );
}

function card(title: string, content: Child): HTMLElement {
  return element('section', { class: 'card' }, element('h3', {}, title), content);
}

function section(title: string, ...content: Child[]): HTMLElement {
  return element('section', {}, element('h3', {}, title), content);
}

function listFacts(registry: RegistryClient): HTMLElement {
  const { checkpointSignedAt } = registry.status();
  const nobody = checkpointSignedAt === undefined ? text.unknown : text.nobody;
  const held = registry.hold.map((id) => element('li', {}, element('a', { href: issuerFragment(id) }, id)));
  return element(
    'dl',
    { class: 'facts' },
    fact(list.title, overview.count(registry.list().length)),
    fact(text.updated, whenAndAge(Date.parse(registry.updatedAt))),
    fact(verification.onHold, held.length === 0 ? nobody : element('ul', { class: 'values' }, held)),
  );
}

function checkpointFacts(registry: RegistryClient, { delegation }: KnownOperations): Child {
  const { checkpointSignedAt, delegatedAt } = registry.status();
  if (checkpointSignedAt === undefined) return element('p', {}, text.none);
  const signer = delegatedAt === undefined ? text.byRoot : text.byOnline(delegation?.keys.length);
  return element(
    'dl',
    { class: 'facts' },
    fact(text.signed, whenAndAge(checkpointSignedAt.getTime())),
    fact(text.signer, signer),
  );
}

/** A log that is not proven is unknown, unless it is proven that there is none. */
function withoutLog(log: null | undefined): HTMLElement {
  return element('p', {}, log === null ? text.noLog : text.unprovenLog);
}

function logFacts({ log }: KnownOperations): Child {
  if (!log) return withoutLog(log);
  return element(
    'dl',
    { class: 'facts' },
    fact(logText.log, element('code', {}, log.origin)),
    fact(text.head, text.entries(log.head.size)),
    fact(logText.thisList, text.publicationOf(log.sequence, log.head.index + 1)),
  );
}

/** What ends next, first things first. */
function eventsTable(registry: RegistryClient, { delegation }: KnownOperations): HTMLElement {
  const { freshUntil, checkpointSignedAt, delegatedAt } = registry.status();
  const isOver = (timeMs: number) => timeMs <= Date.now();
  const events: [number, string][] = [];
  if (freshUntil !== undefined) {
    const at = freshUntil.getTime();
    const checkpoint = isOver(at) ? text.checkpointEnded : text.checkpointEnds;
    events.push([at, checkpointSignedAt === undefined ? text.listEnds : checkpoint]);
  }
  if (delegation !== undefined) {
    events.push([
      delegation.expiresAt,
      isOver(delegation.expiresAt) ? text.delegationEnded : text.delegationEnds,
    ]);
  }
  const isUnknown = delegation === undefined && delegatedAt !== undefined;
  return table(
    [text.when, text.event],
    [
      ...events.sort(([one], [other]) => one - other).map(([at, what]) => [whenAndAge(at), what]),
      ...(isUnknown ? [[text.unknownWhen, text.delegationEnds]] : []),
    ],
  );
}

function mirrors({ report, refusal }: KnownOperations): Child[] {
  if (refusal !== undefined) {
    const code = element('code', {}, refusal.code);
    return [
      element('p', { class: 'refused' }, text.badReport, ' ', code, `: ${visibleMessage(refusal.message)}.`),
    ];
  }
  if (report === undefined) return [element('p', {}, text.noReport)];
  if (report.mirrors.length === 0) return [element('p', {}, text.noMirrors)];
  const at = new Date(report.issuedAt).toISOString();
  const rows = report.mirrors.map(({ url, state, behind, updated_at }) => [
    webLink(url),
    element('span', { class: MIRROR_CLASSES[state] }, text.states[state]),
    behind === undefined || behind === 0 ? '' : formatDuration(behind * 1000),
    updated_at === undefined ? '' : moment(updated_at),
  ]);
  return [
    element(
      'p',
      { class: 'note' },
      rich(text.reported, { time: moment(at), age: formatAge(report.issuedAt) }),
    ),
    table([text.mirror, text.state, text.behind, text.listOf], rows),
  ];
}

const MIRROR_CLASSES = {
  'in sync': 'status active',
  ahead: 'status active',
  behind: 'status suspended',
  unreachable: 'status suspended',
  expired: 'status revoked',
  altered: 'status revoked',
} as const;

function witnesses({ report, log, witnesses: named }: KnownOperations): Child[] {
  if (report?.witnesses.length === 0) return [element('p', {}, text.noWitnesses)];
  // Witnesses cosign a log, so without one there are none.
  if (log === null) return [withoutLog(log)];
  if (report === undefined) return [element('p', {}, text.unknownWitnesses)];
  if (log === undefined) return [withoutLog(log)];
  const rows = named.map(({ name, cosignedAt }) => [
    element('bdi', {}, visibleName(name)),
    cosignedAt === undefined ? text.never : whenAndAge(cosignedAt.getTime()),
  ]);
  return [
    element(
      'p',
      { class: 'note' },
      `${text.quorum(report.quorum ?? 0, named.length)} `,
      rich(text.said, {
        time: moment(new Date(report.issuedAt).toISOString()),
        age: formatAge(report.issuedAt),
      }),
      logText.pinned,
    ),
    table([text.witness, text.cosigned], rows),
  ];
}

function whenAndAge(timeMs: number): Child {
  return [moment(new Date(timeMs).toISOString()), ` (${formatAge(timeMs)})`];
}

function table(titles: readonly string[], rows: readonly (readonly Child[])[]): HTMLElement {
  return element(
    'table',
    { class: 'data' },
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        titles.map((title) => element('th', { scope: 'col' }, title)),
      ),
    ),
    element(
      'tbody',
      {},
      rows.map(([first, ...others]) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, first),
          others.map((cell) => element('td', {}, cell)),
        ),
      ),
    ),
  );
}
