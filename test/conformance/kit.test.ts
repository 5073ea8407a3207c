import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSPORT_REASONS } from '@passport-registry/passports';
import { describe, expect, it } from 'vitest';
import { type Case, ROLES, type Role } from '../../build/conformance/cases/case.js';
import { kitCases, startCases } from '../../build/conformance/kit/index.js';
import { casesByRule, rulesTable } from '../../build/conformance/kit/rules.js';
import { kitOf } from '../support/kit.js';
import { ROOT } from '../support/paths.js';
import { DOCUMENTS, textOf } from '../support/protocol.js';

const CASES: Readonly<Record<Role, readonly Case[]>> = Object.fromEntries(
  await Promise.all(ROLES.map(async (role) => [role, await kitOf(role)])),
);
const ALL = Object.values(CASES).flat();

const SOURCES = ['cases', 'kit'].flatMap((folder) =>
  readdirSync(join(ROOT, 'conformance', folder)).map((name) =>
    readFileSync(join(ROOT, 'conformance', folder, name), 'utf8'),
  ),
);

/** Rules that say nothing to one of the six roles: who they are for. */
const FOR_OTHERS: Readonly<Record<string, string>> = {
  publishers: `other-files write-order save-last hold-kept list-later newest-published next-statement
    request-follows signer-memory root-key-continues verified-before-written publication-rules
    record-changes reinstated reserved-names changes-unsigned log-witnesses`,
  hosts: 'query-ignored',
  issuers: 'nonce nonce-signature mint issuer-errors access-token',
  holders: 'holders-messages ceremony holders-record holders-signing holders-nonces',
  mirrors: 'log-mirror',
  'makers of trust anchors': 'trust-anchor-thumbprint',
  'readers of tables, whose rows are cases of other rules': `roles error-codes client-steps auditor-codes
    list-hash list-checks list-match statement-checks statement-list public-log
    log-files log-audit tree-of-sums public-key rotation-commitment changes`,
};

const words = (text: string) => text.trim().split(/\s+/);

describe('the kit', () => {
  it('has at least 600 cases, each with another id, and some for every role', () => {
    expect(new Set(ALL.map(({ id }) => id)).size).toBe(ALL.length);
    expect(ALL.length).toBeGreaterThan(3000);
    for (const role of ROLES) {
      expect(CASES[role].length, role).toBeGreaterThan(100);
      expect(CASES[role].every(({ id }) => id.startsWith(`${role}/`))).toBe(true);
      const rights = CASES[role].flatMap(({ steps }) => steps.map(({ right }) => right === 'accept'));
      expect(rights.filter(Boolean).length, role).toBeGreaterThan(rights.length / 8);
      expect(rights.filter((one) => !one).length, role).toBeGreaterThan(rights.length / 8);
    }
  });

  it('has forty cases to begin with, of all topics', () => {
    for (const role of ROLES) {
      const start = startCases(CASES[role]);
      const topics = (cases: readonly Case[]) => new Set(cases.map(({ id }) => id.split('/')[1]));
      expect(start).toHaveLength(40);
      expect(topics(start)).toEqual(topics(CASES[role].filter(({ policy }) => policy === undefined)));
    }
  });

  it('shows every reason to refuse a passport, but those that only a program can have', () => {
    const codes = CASES.passport.flatMap(({ steps }) => steps.flatMap(({ right = [] }) => right));
    const missing = Object.keys(PASSPORT_REASONS).filter((code) => !codes.includes(code));
    // See test/passports/verification/.
    expect(missing.sort()).toEqual(['mandate-policy-refused', 'registry-unavailable', 'replay-store-failed']);
  });

  it('is the same every time', () => {
    for (const role of ['list', 'passport'] as const) {
      expect(JSON.stringify([...kitCases(role)])).toBe(JSON.stringify(CASES[role]));
    }
    const random = SOURCES.filter((source) => /Date\.now|Math\.random|new Date\(\)/.test(source));
    expect(random).toEqual([]);
  });

  it('imports nothing of this project, so that no fault of the verifier hides in both', () => {
    const allowed =
      /^(?:\.\/[\w-]+\.js|\.\.\/cases\/[\w-]+\.js|canonicalize|jose|node:crypto|@noble\/(?:curves|hashes)\/[\w-]+\.js)$/;
    const imported = SOURCES.flatMap((source) =>
      [...source.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => name),
    );
    expect(imported.length).toBeGreaterThan(100);
    expect(imported.filter((name) => !allowed.test(name))).toEqual([]);
  });
});

describe('the rules', () => {
  const rules = casesByRule(ALL);
  const ids = DOCUMENTS.flatMap((document) =>
    [...textOf(document).matchAll(/<a id="([^"]*)"><\/a>/g)].map(([, id = '']) => id),
  );

  it('of the cases exist', () => {
    expect([...rules.keys()].filter((rule) => !ids.includes(rule))).toEqual([]);
  });

  it('of the six roles have cases, but for those that are named here', () => {
    const without = ids.filter((id) => !rules.has(id));
    const named = Object.values(FOR_OTHERS).flatMap(words);
    expect(without.filter((id) => !named.includes(id))).toEqual([]);
  });

  it('have cases to accept and cases to refuse, but for a few that only permit, or only forbid', () => {
    const oneSided = [...rules].filter(
      ([, { accepting, refusing }]) => accepting.length * refusing.length === 0,
    );
    expect(oneSided.map(([rule]) => rule).sort()).toEqual([]);
  });

  it('are counted in the README, and printed as a table', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    expect(readme).toContain(`in all ${ALL.length.toLocaleString('en')} cases`);
    const rows = [...rulesTable(ALL).matchAll(/^\| `([\w-]+)` \| [a-z, ]+ \| \d+, .* \| \d+, .* \|$/gm)];
    expect(rows.map(([, rule]) => rule)).toEqual([...rules.keys()].sort());
  });
});
