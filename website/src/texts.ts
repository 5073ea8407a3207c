/**
 * All words of the page. In a text, `{name}` is the place of a value or a link. The texts never contain data: values are
 * inserted as text, not as markup.
 */

/** The language of the page (BCP 47). It selects the form of dates and numbers, and the names of places. */
export const LANGUAGE = 'en-GB';

const number = (value: number) => value.toLocaleString(LANGUAGE);
const count = (value: number, one: string, many: string) => `${number(value)} ${value === 1 ? one : many}`;

/** The words of index.html and 404.html, which the build inserts. They may contain markup. */
export const html = {
  skip: 'Skip to the issuers',
  navigation: 'Views',
  issuers: 'Issuers',
  verify: 'Verify it yourself',
  verification: 'Verification',
  unverified: 'Not verified yet',
  unverified_why: 'You can also <a href="#verify">verify it yourself</a>, without trusting this page.',
  no_script: 'No script has run, so nothing has been verified here.',
  verify_why:
    'The host controls what this page shows. To trust no host, get the thumbprint of the root key from the operator in another way, such as on paper. <code>passport-registry pin</code> pins the key, and <code>passport-registry verify</code> then shows who signed the list and when, whether it is the newest, and which issuers are on hold. Its documents also have a script for curl and openssl.',
  data: 'Data: <a href="issuers.json">issuers.json</a>, its signature <a href="issuers.sig">issuers.sig</a>, the root key <a href="keys/root.json">keys/root.json</a>, checksums <a href="SHA256SUMS">SHA256SUMS</a>, <a href="schemas/registry.openapi.json">the interface</a>, changes of status and tier <a href="changes.json">changes.json</a>.',
  about: 'A passport says who is behind an agent. These are the issuers of passports.',
  intro: 'What is this?',
  intro_agent:
    '<strong>An agent shows a passport.</strong> It says for whom the agent acts, and an issuer has signed it.',
  intro_registry:
    '<strong>This registry says which issuers it trusts,</strong> and which are suspended or revoked. Its operator signs the list.',
  intro_browser:
    '<strong>Your browser checks the signature</strong> before it shows an issuer: what it is, since when, and why.',
  development:
    '<strong>Signed by a development key.</strong> Nobody stands behind this registry: do not trust its issuers, or pin its key.',
  operator: 'Operator: {addresses}. The host could change these: do not get the root key only through them.',
  plain_list: '{count} issuers, as of {time}. This copy does not show which of them are on hold.',
  plain_too_many:
    'Too many issuers for this page without a script: all are in <a href="issuers.json">issuers.json</a>.',
  plain_issuer: 'Issuer',
  plain_status: 'Status',
  plain_tier: 'Tier',
  plain_since: 'Since',
  plain_alike: 'Its name looks like that of {others}. Only the id tells them apart.',
  missing_name: 'Registry of agent passport issuers',
  missing_title: 'Not found',
  missing_why:
    'This host has no file at this URL. That proves nothing about an issuer that the URL names: the signed list decides.',
  missing_list: 'All issuers',
} as const;

/** The states of an issuer. */
export const status = {
  active: 'active',
  suspended: 'suspended',
  revoked: 'revoked',
  'on hold': 'on hold',
} as const;

/** What an issuer is to a reader. The words of the page for tier and status together. */
export const standings = {
  trusted: 'trusted',
  listed: 'listed',
  tests: 'test only',
  notYet: 'not yet',
  'on hold': 'on hold',
  suspended: 'suspended',
  revoked: 'revoked',
} as const;

/** The tiers, and what each of them means. The operator decides what each tier demands. */
export const tiers = {
  founding: 'A founding member of the registry, which the operator has examined.',
  certified: 'The operator has examined the issuer.',
  registered: 'The operator has listed the issuer, but has not examined it.',
  sandbox: 'For tests only: accept its passports only in a test.',
} as const;

/**
 * What is said of the one day that a record has: the operator lists an issuer without an examination, and trusts it after
 * one.
 */
export const since = {
  trusted: 'Trusted since',
  listed: 'Listed since',
  /** While the day is to come. */
  trustedToCome: 'Trusted from',
  listedToCome: 'Listed from',
  /** Of an issuer that is suspended, revoked or on hold. */
  trustedBefore: 'Was trusted from',
  listedBefore: 'Was listed from',
} as const;

/** The members of a record. */
export const fields = {
  issuer_id: 'Id',
  tier: 'Tier',
  status: 'Status',
  status_reason: 'Reason',
  jwks_uri: 'Keys (JWKS)',
  discovery_uri: 'Metadata',
  policy_uri: 'Policy',
  certified_since: 'Since',
  last_audit: 'Last audit',
  geographical_scope: 'Places',
  domain_scope: 'Domains',
  passport_types: 'Passport types',
  contact: 'Contact',
} as const;

/** How many there are besides those that are shown. */
export const more = (rest: number) => ` +${number(rest)}`;

/** The list of issuers. */
export const list = {
  title: 'Issuers',
  search: 'Search',
  example: 'Name, host, domain, country',
  filters: 'Filters',
  clear: 'Clear',
  any: {
    tier: 'Any tier',
    status: 'Any status',
    geography: 'Any place',
    domain: 'Any domain',
    passportType: 'Any passport type',
  },
  filter: {
    tier: 'Tier',
    status: 'Status',
    geography: 'Place',
    domain: 'Domain',
    passportType: 'Passport type',
  },
  issuer: 'Issuer',
  all: (all: number) => `${count(all, 'issuer', 'issuers')}.`,
  some: (found: number, all: number) => `${number(found)} of ${count(all, 'issuer', 'issuers')}.`,
  none: 'No matching issuers.',
  /** A search finds names, too. */
  namesLoading: 'Names are still loading.',
  empty: 'The registry has no issuers.',
  showAll: 'Show all',
  total: (found: number, what: string) => `${number(found)} ${what}`,
  totals: 'Issuers by status',
  pages: 'Pages',
  page: (page: number, pages: number) => `Page ${number(page)} of ${number(pages)}`,
  previous: '← Previous',
  next: 'Next →',
  everywhere: 'Worldwide',
  notVerified: 'No issuers are shown: the registry is not verified.',
  unlisted: 'Not in this registry',
} as const;

/** What people call issuers. */
export const names = {
  alike: (others: string) => ` – looks like ${others}`,
  unknown:
    'What people call these issuers is not known: this host does not send the names that the registry has published.',
} as const;

/** What may help a reader who searches. */
export const hints = {
  unknown: 'This list does not know what the link asks for: {names}.',
} as const;

/** Names of countries for which readers search, besides those that the browser knows. */
export const otherPlaceNames = {
  AE: 'UAE',
  CI: 'Ivory Coast',
  CZ: 'Czech Republic',
  GB: 'UK, Great Britain',
  MM: 'Burma',
  NL: 'Holland',
  SZ: 'Swaziland',
  TL: 'East Timor',
  TR: 'Turkey',
  US: 'USA, America',
} as const;

/** The changes of status and tier. */
export const changes = {
  title: 'Recent changes',
  uncovered:
    'This host sends no changes of status and tier that can be verified, so none are shown. {file} lists them without verification.',
  none: 'No changes of status or tier since {since}.',
  removed: 'removed from the list',
  added: (to: string) => `new: ${to}`,
  many: (issuers: number) => count(issuers, 'issuer', 'issuers'),
  loading: 'Reading the changes…',
  now: 'Now',
} as const;

/** The page of one issuer. */
export const issuer = {
  back: '← All issuers',
  id: 'Id:',
  alike: 'This name looks like that of others. Only the id tells them apart:',
  nameUnknown: 'What people call it is not known.',
  /** What is so, by whom and since when. The name is data, and so is the reason. */
  sentence: {
    trusted: '{name} has been trusted by {registry} since {since}{before}.',
    listed: '{name} has been listed by {registry} since {since}{before}, without an examination.',
    tests: '{name} has been listed by {registry} for tests only, since {since}{before}.',
    notYet: '{name} will be {trusted} by {registry} from {since} on.',
    held: '{name} was {trusted} by {registry} from {since}, and is on hold.',
    stopped: '{name} was {trusted} by {registry} from {since}, and {steps}{reason}',
    /** What differs while the day of the recognition is to come. */
    toCome: {
      tests: '{name} is listed by {registry} for tests only.',
      held: '{name}, to be {trusted} by {registry} from {since} on, is on hold.',
      stopped: '{name}, to be {trusted} by {registry} from {since} on, {steps}{reason}',
    },
    before: (from: string, to: string) => `, with a suspension from ${from} to ${to}`,
    /** A change of the status, on a day. */
    steps: {
      active: (day: string) => `active again on ${day}`,
      suspended: (day: string) => `suspended on ${day}`,
      revoked: (day: string) => `revoked on ${day}`,
    },
    /** The status, if the day on which it began is not known. */
    now: { suspended: 'is suspended', revoked: 'is revoked' },
    changed: (steps: string) => `was ${steps}`,
    /** Ends with the words of the registry. */
    reason: '. Reason given: {reason}',
    noReason: '. No reason is given.',
    reasonUnknown: '. The reason is not known.',
    end: '.',
  },
  trust: {
    trusted: 'This registry trusts the issuer. Your own policy decides whether you accept it.',
    listed:
      'This registry lists the issuer, but has not examined it. Your own policy decides whether you accept it.',
    tests: 'This issuer is for tests only.',
    notYet:
      'This issuer is not {trusted} before {day}. Verifiers whose policies ask for no minimum time accept it already.',
    stopped: {
      suspended:
        'This issuer is suspended. A verifier that has this list rejects the issuer and all of its passports.',
      revoked:
        'This issuer is revoked for good. A verifier that has this list rejects the issuer and all of its passports.',
    },
    held: 'This issuer is on hold, as of {time}. Verifiers reject the issuer and all of its passports.',
    unknown: '{id} is not in this registry. No issuer with this id is trusted or listed.',
  },
  heldRecord: '(active in the record)',
  statusSince: ' since {day}; before: {from}',
  purpose: 'What its passports are for',
  keys: 'Where its keys are',
  changes: 'Changes',
  record: 'Record as JSON',
  recordInList: 'This is the record in the signed list. {file} is an unsigned copy.',
  recordProven: 'This is the record that the signed publication statement proves.',
  undeclared: 'not declared',
  undeclaredScope: 'not declared: a policy that asks for one rejects the issuer',
  nothing: 'none',
  similar: 'Similar ids and names in the registry, which need not be related:',
  notSimilar: 'The registry has no similar id.',
  listed: 'This registry has the issuer {id}.',
  misplaced: 'The list contains {id}, but this host does not serve the file of this issuer.',
} as const;

/** The verdict on the registry. */
export const verdict = {
  checking: 'Verifying…',
  nothingYet: 'Nothing below has been verified yet.',
  good: 'Verified in your browser',
  asOf: (age: string) => `proven newest ${age}`,
  late: (age: string) => `${age}, but the last refresh failed`,
  provenIssuer: 'Issuer verified in your browser',
  provenAbsence: 'Absence verified in your browser',
  /** That the registry is not verified, by the cause. */
  failures: {
    forged: 'Not verified: trust nothing here',
    expired: 'Out of date: verifiers refuse this list',
    unreachable: 'Not verified: no answer',
    clock: 'Not verified: a clock is wrong',
    host: 'Not verified: this host has a fault',
  },
  wait: 'If this stays, tell the operator, and use another mirror.',
  badTitle: 'Not verified',
  again: 'Try again',
} as const;

/** What each cause of a failure means. */
export const causes = {
  forged:
    'The root key has not signed what this host sends, or something that it has signed is missing. Right after a publication, this ends within a minute.',
  expired:
    'The operator is late, or this host holds a newer list back. Issuers may have been suspended or revoked since.',
  unreachable: 'This host does not answer. This says nothing about the registry. Check your network.',
  clock:
    'This device says that it is {time}, which does not fit the times that this host sends: the clock of this device, of the operator or of the host is wrong.',
  host: 'This host does not send the files of the registry as they are. Nothing shows that a signature is wrong.',
} as const;

/** What is verified, and what is not. */
export const verification = {
  provenRecord:
    'The root key signed a statement about a list. Hashes from this statement down prove the record of {id}. The whole list is still loading.',
  provenNone:
    'The root key signed a statement about a list. Hashes from this statement down prove that the list has no issuer {id}. The whole list is still loading.',
  rootKey: 'Root key',
  pinned: ', pinned by this page',
  rotated: ', to which the root key of this page has handed over. Reload the page.',
  list: 'List',
  updated: '{count}, updated at {time} ({age})',
  updatedAt: 'updated at {time} ({age})',
  issuers: (all: number) => count(all, 'issuer', 'issuers'),
  payloadHash: 'Payload hash',
  checkpoint: 'Checkpoint',
  signed: 'says that this list is the newest; signed at {time} ({age}), valid until {until}',
  onHold: 'On hold',
  held: (ids: string) => `${ids}: verifiers that read checkpoints treat these issuers as suspended`,
  host: 'Host',
  late: 'the last refresh failed',
  limits: 'What the verification shows, and what it cannot show',
  shows:
    'Your browser fetched the list, the statements about it and the root key from this host. The root key has the thumbprint in this page, it has signed the hash of the exact bytes of the list, and the list is valid and not too old. Every minute, this page asks for changes, and checks that the root key signed their hashes.',
  cannot:
    'This page cannot show that the page itself is honest: its host can serve a page that claims anything. Compare the thumbprint with one that you got in another way. For important decisions, verify it yourself, as below, or with the verifier library.',
} as const;

/** The log of the registry. */
export const log = {
  log: 'Log',
  entry: (size: number) =>
    `: the statement about this list is entry ${size}, the last one of a head that the key of the log has signed`,
  limits: 'What the log shows, and what this page cannot check',
  shows:
    'The root key names this log and its key in its statement about this list. Your browser checked that this key signed a head of the log, and that the statement is its last entry. While this page is open, it also checks that each later head contains the earlier ones.',
  cannot:
    'This does not show that everybody sees the same log: the holder of the log’s key can sign another one for others. Honest witnesses cosign only heads that contain every head that they have cosigned before. This page pins no witnesses, so it checks no cosignatures.',
  pin: 'To demand cosignatures, get the keys of witnesses in another way, and pin them in a {anchor}: its members are {log}, {witnesses} and {quorum}.',
  anchor: 'trust anchor',
} as const;

/** The page itself. */
export const page = {
  notLoaded: 'This part could not be loaded. The host may have a newer page. {reload}',
  reload: 'Reload',
  rolledBack: 'this host sends a list older than its proof of the issuer',
} as const;
