import type { Issuer, RegistryClient } from '@passport-registry/verifier';
import {
  type Changes,
  recognitionOf,
  type ShownStatus,
  type Standing,
  standingOf,
} from '@passport-registry/verifier/core';
import { type Child, element, rich } from '../dom/element.js';
import { moment } from '../dom/facts.js';
import { visibleId, wordFor } from '../dom/text.js';
import { day } from '../dom/time.js';
import { changesList } from '../list/changes-list.js';
import { aboutIn, type KnownAbout, type Names } from '../list/names.js';
import { similarIssuers, similarIssuersView } from '../list/similar-issuers.js';
import { shownStatus, standingIcon, statusMark, TONES } from '../list/status-mark.js';
import { latestStatusChange } from '../registry/changes.js';
import type { Hold } from '../registry/hold.js';
import { issuerFragment, listFragment, type Query } from '../route.js';
import { more, standings, issuer as text, tiers } from '../texts.js';
import { keyFields, purposeFields, trustFields } from './record-fields.js';
import { sentenceOn } from './sentence.js';

/** What is known of an issuer besides its record. */
interface IssuerContext {
  readonly hold: Hold;
  /** What the registry calls itself. */
  readonly registryName: string;
  /** The verified list. Undefined before it has been loaded, and so is what follows. */
  readonly registry?: RegistryClient;
  /** The names and reasons, as far as they are known. */
  readonly names?: Names;
  /** What the reader has asked the list for. Default: everything */
  readonly back?: Query | undefined;
  /** Null if the changes are not proven. Undefined before they have been read. */
  readonly changes?: Changes | null | undefined;
}

/** The view of an id. @param issuer - undefined if the list has no such issuer */
export function issuerView(id: string, issuer: Issuer | undefined, context: IssuerContext): HTMLElement {
  return issuer === undefined ? unknownIssuerView(id, context) : knownIssuerView(issuer, context);
}

/** The view of one issuer: whether to trust it and why, what for, its keys and its changes. */
function knownIssuerView(issuer: Issuer, context: IssuerContext): HTMLElement {
  const { issuer_id } = issuer;
  const status = shownStatus(issuer, context.hold.ids);
  const standing = standingOf(issuer, status, Date.now());
  const about = aboutIn(context.names, issuer_id);
  const { registryName, registry } = context;
  const own = context.changes?.changes.filter((change) => change.issuer_id === issuer_id);
  const sentence = sentenceOn(issuer, status, { about, changes: own, registry: registryName });
  return element(
    'article',
    { class: 'issuer' },
    idLine(issuer_id, about),
    alikeNote(about, context.hold.ids),
    backLink(context.back),
    element(
      'div',
      { class: `verdict ${verdictTone(standing)}` },
      standingIcon(standing),
      element(
        'div',
        {},
        element('p', { class: 'sentence' }, sentence),
        element('p', {}, verdictOn(issuer, status, context)),
        status === 'active'
          ? element(
              'p',
              { class: 'tier' },
              element('strong', {}, issuer.tier),
              `: ${wordFor(tiers, issuer.tier) ?? ''}`,
            )
          : undefined,
      ),
    ),
    trustFields(issuer, status, latestStatusChange(issuer, context.changes)),
    heading(text.purpose),
    purposeFields(issuer),
    heading(text.keys),
    keyFields(issuer),
    registry && changesOf(issuer, status, context),
    element(
      'details',
      { class: 'record' },
      element('summary', {}, text.record),
      element('p', {}, recordSource(issuer_id, registry !== undefined)),
      element('pre', {}, element('code', {}, JSON.stringify(issuer, undefined, 2))),
    ),
  );
}

function heading(words: string): HTMLElement {
  return element('h3', {}, words);
}

function changesOf(issuer: Issuer, status: ShownStatus, { changes }: IssuerContext): Child[] {
  const { issuer_id: id } = issuer;
  const own = changes && { ...changes, changes: changes.changes.filter(({ issuer_id }) => issuer_id === id) };
  const held = status === 'on hold' ? [id] : [];
  return [heading(text.changes), changesList({ changes: own, held, resolve: () => issuer }, false)];
}

function recordSource(id: string, isInList: boolean): Child[] {
  if (!isInList) return [text.recordProven];
  const file = element('a', { href: `issuers/${encodeURIComponent(id)}` }, `issuers/${id}`);
  return rich(text.recordInList, { file });
}

/** The colour of the verdict. It warns of issuers that are not to be used yet. */
function verdictTone(standing: Standing): string {
  return standing === 'tests' || standing === 'notYet' ? 'suspended' : TONES[standing];
}

function verdictOn(issuer: Issuer, status: ShownStatus, { hold }: IssuerContext): Child[] {
  const { trust } = text;
  if (status === 'on hold') {
    return rich(trust.held, { time: moment(hold.signedAt?.toISOString() ?? '') });
  }
  if (status !== 'active') return [wordFor(trust.stopped, status) ?? status];
  const standing = standingOf(issuer, status, Date.now()) as 'trusted' | 'listed' | 'tests' | 'notYet';
  const trusted = standings[recognitionOf(issuer)];
  return rich(trust[standing], { day: day(issuer.certified_since), trusted });
}

/** The view for an id that is not in the list. */
function unknownIssuerView(id: string, { registry, names, back }: IssuerContext): HTMLElement {
  const verdict = rich(text.trust.unknown, {
    // It may be any text of a link, so it is shown as none of this page.
    id: element('code', {}, element('bdi', {}, visibleId(id))),
  });
  return element(
    'article',
    { class: 'issuer' },
    backLink(back),
    element('div', { class: 'verdict revoked' }, standingIcon('revoked'), element('p', {}, verdict)),
    registry &&
      similarIssuersView(similarIssuers(id, registry.list(), names), { hold: registry.hold, names }),
  );
}

/** The id below the name, always in full: names are not unique, and verifiers decide by the id. */
function idLine(id: string, about: KnownAbout | null | undefined): HTMLElement {
  const unknown = about === null ? ` ${text.nameUnknown}` : '';
  return element('p', { class: 'id' }, `${text.id} `, element('code', {}, id), unknown);
}

/** Whom a reader may take the issuer for. A name proves nothing, so nobody can say which of them is meant. */
function alikeNote(
  about: KnownAbout | null | undefined,
  hold: readonly string[] = [],
): HTMLElement | undefined {
  if (!about?.alike) return undefined;
  const others = about.alike.map((other, at) => [
    [at === 0 ? ' ' : ', ', element('a', { href: issuerFragment(other.issuer_id) }, other.issuer_id)],
    [' ', statusMark(other, shownStatus(other, hold))],
  ]);
  const { name = '', unnamed = 0 } = about;
  const rest = unnamed > 0 ? element('a', { href: listFragment({ text: name }) }, more(unnamed)) : undefined;
  return element('p', { class: 'alike' }, text.alike, others, rest);
}

/** @param query - what the reader has asked the list for */
function backLink(query: Partial<Query> = {}): HTMLElement {
  return element('p', { class: 'back' }, element('a', { href: listFragment(query) }, text.back));
}
