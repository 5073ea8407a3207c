import type { Issuer } from '@passport-registry/verifier';
import { type Change, type ShownStatus, sinceOf } from '@passport-registry/verifier/core';
import { type Child, element, rich } from '../dom/element.js';
import { fact, webLink } from '../dom/facts.js';
import { day, formatAge } from '../dom/time.js';
import { statusWord } from '../list/changes-list.js';
import { placeName } from '../list/places.js';
import { statusMark } from '../list/status-mark.js';
import { listFragment } from '../route.js';
import { fields as labels, since as sinceLabels, issuer as text } from '../texts.js';

/**
 * Why to trust an issuer: its status, and since when.
 *
 * @param change - the change that gave it this status, if known
 */
export function trustFields(issuer: Issuer, status: ShownStatus, change: Change | undefined): HTMLElement {
  return fieldList([
    [labels.status, statusField(issuer, status, change)],
    // What a tier means recommends an issuer, so it is told of an active one only, by the verdict.
    ...(status === 'active' ? [] : [[labels.tier, issuer.tier] as const]),
    [sinceLabels[sinceOf(issuer, status, Date.now())], date(issuer.certified_since)],
    [labels.last_audit, declared(issuer.last_audit, date)],
  ]);
}

function statusField(issuer: Issuer, status: ShownStatus, change: Change | undefined): Child {
  const mark = statusMark(issuer, status);
  if (status === 'on hold') return [mark, ` ${text.heldRecord}`];
  if (change === undefined) return mark;
  const before = rich(text.statusSince, {
    day: day(change.updated_at),
    from: statusWord(issuer, change.from ?? ''),
  });
  return [mark, before];
}

/** What the passports of an issuer are for. Each value links to the issuers that have it. */
export function purposeFields(issuer: Issuer): HTMLElement {
  const { geographical_scope, domain_scope, passport_types } = issuer;
  return fieldList([
    [labels.geographical_scope, values(geographical_scope, 'geography', placeName)],
    [labels.domain_scope, values(domain_scope, 'domain')],
    [labels.passport_types, values(passport_types, 'passportType')],
  ]);
}

/** Where the keys, the metadata and the policy of an issuer are, and whom to write to. */
export function keyFields({ jwks_uri, discovery_uri, policy_uri, contact }: Issuer): HTMLElement {
  return fieldList([
    [labels.jwks_uri, webLink(jwks_uri)],
    [labels.discovery_uri, webLink(discovery_uri)],
    [labels.policy_uri, declared(policy_uri, webLink)],
    [labels.contact, declared(contact, (address) => address)],
  ]);
}

function fieldList(rows: readonly (readonly [string, Child])[]): HTMLElement {
  return element(
    'dl',
    { class: 'fields' },
    rows.map(([label, value]) => fact(label, value)),
  );
}

/** A missing field is not the same as null: with null, the author states that there is no value. */
function declared(value: string | null | undefined, show: (value: string) => Child): Child {
  if (value === undefined) return element('span', { class: 'none' }, text.undeclared);
  return value === null ? element('span', { class: 'none' }, text.nothing) : show(value);
}

function date(dateTime: string): Child {
  const timeMs = Date.parse(dateTime);
  return [day(dateTime), Number.isNaN(timeMs) ? '' : ` (${formatAge(timeMs)})`];
}

function values(
  found: readonly string[] | undefined,
  filter: 'geography' | 'domain' | 'passportType',
  nameOf = (value: string) => value,
): Child {
  if (found === undefined || found.length === 0) {
    return element('span', { class: 'none' }, found === undefined ? text.undeclaredScope : text.nothing);
  }
  return element(
    'ul',
    { class: 'values' },
    found.map((value) =>
      element('li', {}, element('a', { href: listFragment({ [filter]: value }) }, nameOf(value))),
    ),
  );
}
