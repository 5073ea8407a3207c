import type { Case } from '../cases/case.js';
import { golden } from '../cases/goldens.js';
import type { Members } from '../cases/jwt.js';
import { type Draft, makeCase, publishedList } from '../cases/make-case.js';
import type { Patch } from '../cases/patch.js';

const base = 'stated';
const DAY = 86_400_000;
const TIERS = ['founding', 'certified', 'registered'];

/** What a list verifier decides with and without a trust policy. */
export function* policyKit(): Generator<Case> {
  yield* decisions();
  yield* scopes();
  yield* days();
  yield* names();
  yield* invalid();
}

/** The list of a registry that has only these records. */
function listOf(records: Readonly<Record<string, Members>>): readonly Patch[] {
  return publishedList(base, (registry) => {
    registry.records.clear();
    for (const [id, more] of Object.entries(records)) registry.change(id, more);
    registry.publish();
  });
}

/** A policy, and whom it trusts. */
interface Decided extends Pick<Draft, 'policy'> {
  readonly trusted: readonly string[];
}

/** Makes cases of one list, whose issuers are all asked for, and one that is not listed. */
function decider(records: Readonly<Record<string, Members>>) {
  const patches = listOf(records);
  const ask = [...Object.keys(records), 'unlisted'];
  return (name: string, rule: string, { policy, trusted }: Decided) => {
    const why = 'A trust policy decides.';
    const id = `${policy ? 'policy' : 'decision'}/${name}`;
    const draft = { id, rule, base, patches, ask, why, trusted };
    return makeCase('list', { ...draft, ...(policy && { policy }) }, 'accept');
  };
}

function* decisions(): Generator<Case> {
  const listed: Readonly<Record<string, Members>> = {
    active: {},
    suspended: { status: 'suspended' },
    revoked: { status: 'revoked' },
    registered: { tier: 'registered' },
    scoped: { domain_scope: ['finance'], geographical_scope: ['NO'], passport_types: ['basic'] },
    empty: { domain_scope: [], geographical_scope: [], passport_types: [] },
    audited: { last_audit: '2026-11-01T00:00:00Z' },
    unaudited: { last_audit: null },
  };
  const make = decider(listed);
  const active = Object.keys(listed).filter((id) => !['suspended', 'revoked'].includes(id));
  const [allow, deny] = ['suspended', 'active'].map((id) => [named(id)]);
  const others = active.filter((id) => id !== 'active');
  yield make('no policy', 'status-rejected', { trusted: active });
  yield make('any tier', 'status-rejected', { policy: { tiers: TIERS }, trusted: active });
  yield make('allowed', 'status-rejected', { policy: { tiers: [], allow }, trusted: [] });
  yield make('one tier', 'trust-policy', { policy: { tiers: ['registered'] }, trusted: ['registered'] });
  yield make('no tier', 'trust-policy', { policy: { tiers: [] }, trusted: [] });
  yield make('denied', 'trust-policy', { policy: { tiers: TIERS, deny }, trusted: others });
  const absent = (name: string, more: object, trusted: readonly string[]) =>
    make(name, 'scope-absent', { policy: { tiers: TIERS, ...more }, trusted });
  yield absent('a domain', { domains: ['finance'] }, ['scoped']);
  yield absent('another domain', { domains: ['health'] }, []);
  yield absent('a place', { geography: ['NO'] }, ['scoped']);
  yield absent('a type', { passport_types: ['basic'] }, ['scoped']);
  yield absent('an audit', { max_audit_days: 60 }, ['audited']);
}

const RULE = 'policy-rules';

function* scopes(): Generator<Case> {
  const make = decider({
    absent: {},
    both: { domain_scope: ['a', 'b'], geographical_scope: ['NO', 'US-CA'], passport_types: ['a'] },
    deeper: { domain_scope: ['a.b'], geographical_scope: ['US-CA'], passport_types: ['a-b'] },
    empty: { domain_scope: [], geographical_scope: [], passport_types: [] },
    everywhere: { domain_scope: ['b'], geographical_scope: ['global'], passport_types: ['b'] },
    globally: { domain_scope: ['global'], geographical_scope: ['US'], passport_types: ['global'] },
    neighbour: { domain_scope: ['c'], geographical_scope: ['US-NY'], passport_types: ['a', 'c'] },
  });
  const scoped = (name: string, more: object, trusted: readonly string[]) =>
    make(name, RULE, { policy: { tiers: TIERS, ...more }, trusted });
  yield scoped('one of two domains', { domains: ['a', 'c'] }, ['both', 'neighbour']);
  yield scoped('a deeper domain', { domains: ['a.b'] }, ['deeper']);
  yield scoped('no domains', { domains: [] }, []);
  yield scoped('a domain with the name global', { domains: ['global'] }, ['globally']);
  yield scoped('one of two types', { passport_types: ['a', 'x'] }, ['both', 'neighbour']);
  yield scoped('no types', { passport_types: [] }, []);
  const country = ['both', 'deeper', 'everywhere', 'globally'];
  yield scoped('a subdivision', { geography: ['US-CA'] }, country);
  yield scoped('a country', { geography: ['US'] }, ['everywhere', 'globally']);
  yield scoped('two places', { geography: ['NO', 'US'] }, ['both', 'everywhere', 'globally']);
  yield scoped('global', { geography: ['global'] }, ['everywhere']);
  yield scoped('no places', { geography: [] }, []);
  yield scoped('a domain and a place', { domains: ['a', 'b'], geography: ['US-CA'] }, ['both', 'everywhere']);
  yield scoped('all scopes', { domains: ['b'], geography: ['NO'], passport_types: ['a'] }, ['both']);
}

/** Days have 24 hours, and end to the millisecond. */
function* days(): Generator<Case> {
  const { now } = golden(base);
  const before = (milliseconds: number) => new Date(now - milliseconds).toISOString();
  const make = decider({
    'a-exact': { certified_since: before(90 * DAY), last_audit: before(90 * DAY) },
    'b-later': { certified_since: before(90 * DAY - 1), last_audit: before(90 * DAY - 1) },
    'c-earlier': { certified_since: before(90 * DAY + 1), last_audit: before(90 * DAY + 1) },
    'd-now': { certified_since: before(0), last_audit: before(0) },
    'e-future': { certified_since: before(-1), last_audit: before(-1) },
    'f-yesterday': { certified_since: before(DAY), last_audit: before(DAY) },
    'g-unaudited': { certified_since: '0000-01-01T00:00:00Z' },
    'h-null': { certified_since: '0000-01-01T00:00:00Z', last_audit: null },
  });
  const within = (name: string, more: object, trusted: readonly string[]) =>
    make(name, RULE, { policy: { tiers: TIERS, ...more }, trusted });
  const old = ['a-exact', 'c-earlier', 'g-unaudited', 'h-null'];
  const past = ['a-exact', 'b-later', 'c-earlier', 'd-now', 'f-yesterday', 'g-unaudited', 'h-null'];
  yield within('certified for 90 days', { min_certified_days: 90 }, old);
  yield within(
    'certified for 1 day',
    { min_certified_days: 1 },
    past.filter((id) => id !== 'd-now'),
  );
  yield within('certified for 0 days', { min_certified_days: 0 }, past);
  yield within('certified for 36500 days', { min_certified_days: 36_500 }, ['g-unaudited', 'h-null']);
  yield within('audited within 90 days', { max_audit_days: 90 }, [
    'a-exact',
    'b-later',
    'd-now',
    'f-yesterday',
  ]);
  yield within('audited within 0 days', { max_audit_days: 0 }, ['d-now']);
  yield within('both', { min_certified_days: 90, max_audit_days: 90 }, ['a-exact']);
}

const named = (issuer_id: string, reason = 'a test') => ({ issuer_id, reason });

function* names(): Generator<Case> {
  const make = decider({
    one: { tier: 'registered' },
    revoked: { status: 'revoked' },
    two: { domain_scope: ['a'] },
  });
  const [one, two] = ['one', 'two'].map((id) => [named(id)]);
  const decided = (name: string, policy: object, trusted: readonly string[]) =>
    make(name, RULE, { policy, trusted });
  yield decided('allowed without its tier', { tiers: ['certified'], allow: one }, ['one', 'two']);
  const strict = { tiers: [], domains: ['x'], geography: ['NO'], passport_types: [], max_audit_days: 1 };
  yield decided('allowed without anything', { ...strict, min_certified_days: 36_500, allow: one }, ['one']);
  yield decided('allowed and denied', { tiers: TIERS, allow: one, deny: one }, ['two']);
  yield decided('one allowed, one denied', { tiers: [], allow: one, deny: two }, ['one']);
  yield decided('revoked and allowed', { tiers: [], allow: [named('revoked')] }, []);
  yield decided('nobody listed', { tiers: [], allow: [named('unlisted')], deny: [named('other')] }, []);
  yield decided('allowed twice', { tiers: [], allow: [named('one'), named('one')] }, ['one']);
  yield decided('nobody allowed or denied', { tiers: TIERS, allow: [], deny: [] }, ['one', 'two']);
  const long = [named('one', '\u{1F600}'.repeat(500))];
  yield decided('a reason of 500 characters', { tiers: [], allow: long }, ['one']);
}

const INVALID = ['ERR_POLICY_INVALID'];

/** Policies that are refused as a whole, although the list is right, and each issuer would be trusted by the rest of them. */
function* invalid(): Generator<Case> {
  const tiers = TIERS;
  const entry = (more: object) => ({ tiers, allow: [{ ...named('alpha'), ...more }] });
  const policies: Readonly<Record<string, object>> = {
    'without tiers': { domains: [] },
    empty: {},
    'another member': { tiers, domain: ['a'] },
    'tiers null': { tiers: null },
    'tiers a text': { tiers: 'certified' },
    'another tier': { tiers: [...tiers, 'gold'] },
    'a tier twice': { tiers: [...tiers, 'certified'] },
    'domains null': { tiers, domains: null },
    'a domain that is none': { tiers, domains: ['A'] },
    'a domain twice': { tiers, domains: ['a', 'a'] },
    'a place that is none': { tiers, geography: ['no'] },
    'a place twice': { tiers, geography: ['NO', 'NO'] },
    'types a text': { tiers, passport_types: 'basic' },
    'days below 0': { tiers, min_certified_days: -1 },
    'days above 36500': { tiers, min_certified_days: 36_501 },
    'half a day': { tiers, min_certified_days: 0.5 },
    'days that are a text': { tiers, min_certified_days: '0' },
    'audit days below 0': { tiers, max_audit_days: -1 },
    'audit days above 36500': { tiers, max_audit_days: 36_501 },
    'audit days null': { tiers, max_audit_days: null },
    'allow of texts': { tiers, allow: ['alpha'] },
    'allow an object': { tiers, allow: named('alpha') },
    'deny null': { tiers, deny: null },
    'no reason': { tiers, allow: [{ issuer_id: 'alpha' }] },
    'a reason that is empty': entry({ reason: '' }),
    'a reason of 501 characters': entry({ reason: 'x'.repeat(501) }),
    'an id that is none': entry({ issuer_id: 'Alpha' }),
    'another member of an entry': entry({ until: null }),
    'no id': { tiers, deny: [{ reason: 'a test' }] },
  };
  for (const [name, policy] of Object.entries(policies)) {
    const why = 'The trust policy is not valid.';
    const draft = { id: `policy/invalid: ${name}`, rule: RULE, base, why, policy, ask: ['alpha', 'beta'] };
    yield makeCase('list', draft, INVALID);
  }
}
