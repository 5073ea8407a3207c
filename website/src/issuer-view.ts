import { ISSUER_FIELDS, type Issuer, type Registry } from '@passport-registry/verifier';
import type { Changes } from './changes.js';
import { type Child, element, webLink } from './element.js';
import { changesList } from './history-view.js';
import { similarIds } from './nearest.js';
import type { ProvenIssuer } from './proven-issuer.js';
import { issuerFragment, listFragment } from './route.js';
import { type ShownStatus, shownStatus, statusClass, statusMark } from './status-mark.js';
import { time } from './time.js';

/** What is known of an issuer besides its record. */
export interface IssuerContext extends IssuerPast, Holding {}

/** What the checkpoint says of holds. */
export interface Holding {
  /** The ids of the held issuers. */
  readonly hold: readonly string[];
  /** When the checkpoint was signed. Undefined without a checkpoint. */
  readonly checkpointSignedAt: Date | undefined;
}

/** What is known of the past of an issuer. */
export interface IssuerPast {
  readonly changes: Changes | undefined;
  /** The history from the log. Undefined if the list is not proven to be in a log. */
  readonly history: HTMLElement | undefined;
}

/** The view of one issuer, with everything that the registry publishes about it. */
export function issuerView(issuer: Issuer, { changes, history, ...holding }: IssuerContext): HTMLElement {
  const { issuer_id } = issuer;
  const ownChanges = changes && {
    ...changes,
    changes: changes.changes.filter((change) => change.issuer_id === issuer_id),
  };
  return element(
    'article',
    {},
    ...recordView(issuer, holding),
    element('h3', {}, 'Changes'),
    changesList(ownChanges, false),
    history,
    element('h3', {}, 'Record as JSON'),
    element(
      'p',
      {},
      'This is the record in the signed list. ',
      element('a', { href: `issuers/${encodeURIComponent(issuer_id)}` }, `issuers/${issuer_id}`),
      ' is an unsigned copy of the record. Do not base decisions on the copy alone.',
    ),
    recordAsJson(issuer),
  );
}

/** The view of one issuer, or of an unknown id, before the list has been loaded. */
export function provenIssuerView({ id, issuer, hold, status }: ProvenIssuer): HTMLElement {
  if (issuer === undefined) return element('article', {}, backLink(), unknownVerdict(id));
  return element(
    'article',
    {},
    ...recordView(issuer, { hold, checkpointSignedAt: status.checkpointSignedAt }),
    element('h3', {}, 'Record as JSON'),
    element('p', {}, 'This is the record that the signed publication statement proves.'),
    recordAsJson(issuer),
  );
}

function recordView(issuer: Issuer, { hold, checkpointSignedAt }: Holding): HTMLElement[] {
  const status = shownStatus(issuer, hold);
  return [
    backLink(),
    element('p', { class: `verdict ${statusClass(status)}` }, ...verdictOn(status, checkpointSignedAt)),
    element(
      'dl',
      { class: 'fields' },
      ISSUER_FIELDS.map((field) =>
        fieldRow(
          field,
          field === 'status' && status === 'on hold'
            ? [statusMark(status), ' (active in the record)']
            : fieldValue(issuer, field),
        ),
      ),
    ),
  ];
}

function verdictOn(status: ShownStatus, checkpointSignedAt: Date | undefined): Child[] {
  if (status === 'active') {
    return [
      'This issuer is recognised. Your own policy decides whether you trust it: by tier, domains and places.',
    ];
  }
  const consequence = 'every verifier rejects the issuer and all of its passports.';
  if (status !== 'on hold') return [`This issuer is ${status}: ${consequence}`];
  return [
    'This issuer is on hold, by the checkpoint of ',
    time(checkpointSignedAt?.toISOString() ?? ''),
    `. It is treated as suspended: ${consequence}`,
  ];
}

function recordAsJson(issuer: Issuer): HTMLElement {
  return element('pre', {}, element('code', {}, JSON.stringify(issuer, undefined, 2)));
}

/** The name of each member of a record. */
export const LABELS: Readonly<Record<keyof Issuer, string>> = {
  issuer_id: 'Id',
  tier: 'Tier',
  status: 'Status',
  jwks_uri: 'Keys (JWKS)',
  discovery_uri: 'Metadata',
  policy_uri: 'Policy',
  certified_since: 'Certified since',
  last_audit: 'Last audit',
  geographical_scope: 'Places',
  domain_scope: 'Domains',
  passport_types: 'Passport types',
  contact: 'Contact',
};

function fieldRow(field: keyof Issuer, value: Child): HTMLElement {
  return element('div', {}, element('dt', {}, LABELS[field]), element('dd', {}, value));
}

function fieldValue(issuer: Issuer, field: keyof Issuer): Child {
  const value = issuer[field];
  // A missing field is not the same as null: with null, the author states that there is no value.
  if (value === undefined) return element('span', { class: 'none' }, 'not declared');
  if (value === null) return element('span', { class: 'none' }, 'none');
  if (field === 'status') return statusMark(issuer.status);
  if (typeof value !== 'string') return valueList(field, value);
  if (field === 'certified_since' || field === 'last_audit') return time(value);
  return field.endsWith('_uri') ? webLink(value) : value;
}

const FILTERS: Readonly<Record<string, 'geography' | 'domain' | 'passportType'>> = {
  geographical_scope: 'geography',
  domain_scope: 'domain',
  passport_types: 'passportType',
};

/** A list of values. Each value links to the issuers that have it. */
function valueList(field: keyof Issuer, values: readonly string[]): Child {
  if (values.length === 0) return element('span', { class: 'none' }, 'none');
  const member = FILTERS[field] ?? 'domain';
  return element(
    'ul',
    { class: 'values' },
    values.map((value) =>
      element('li', {}, element('a', { href: listFragment({ [member]: value }) }, value)),
    ),
  );
}

/** The view for an id that is not in the list. */
export function unknownIssuerView(
  id: string,
  registry: Registry,
  { history }: Pick<IssuerPast, 'history'>,
): HTMLElement {
  return element('article', {}, backLink(), unknownVerdict(id), suggestions(id, registry, ''), history);
}

function unknownVerdict(id: string): HTMLElement {
  return element(
    'p',
    { class: 'verdict revoked' },
    element('strong', {}, id),
    ' is not in this registry. No issuer with this id is recognised.',
  );
}

/**
 * The ids of the list that are most similar to an unknown id.
 *
 * @param base - the URL of the page with the issuers; empty if that is the current page
 */
export function suggestions(id: string, registry: Registry, base: string): HTMLElement {
  const similar = similarIds(
    id,
    registry.list().map(({ issuer_id }) => issuer_id),
  );
  if (similar.length === 0) return element('p', {}, 'The registry has no similar id.');
  const links = similar.map((found) =>
    element('li', {}, element('a', { href: base + issuerFragment(found) }, found)),
  );
  return element(
    'div',
    {},
    element(
      'p',
      {},
      'Similar ids in the registry (a similar name does not mean that the issuers are related):',
    ),
    element('ul', { class: 'near' }, links),
  );
}

function backLink(): HTMLElement {
  return element('p', { class: 'back' }, element('a', { href: listFragment({}) }, '← All issuers'));
}
