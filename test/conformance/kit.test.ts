import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kitCases, startCases } from '../../build/conformance/kit/index.js';
import { KIT_ROLES, type KitCase, type KitRole } from '../../build/conformance/kit/kit-case.js';
import { casesByRule, rulesTable } from '../../build/conformance/kit/rules.js';
import { type RunResult, run } from '../../build/conformance/runner/run.js';
import { describeWithPython } from '../support/components.js';
import { ROOT } from '../support/paths.js';
import { DOCUMENTS, textOf } from '../support/protocol.js';
import { PYTHON_FOLDER } from '../support/python-verifier.js';
import { rounds, sample } from '../support/soak.js';

const CASES: Readonly<Record<KitRole, readonly KitCase[]>> = Object.fromEntries(
  KIT_ROLES.map((role) => [role, [...kitCases(role)]]),
) as never;
const ALL = Object.values(CASES).flat();

/** One of so many cases in a usual run. */
const EVERY = 67;
const OURS = [process.execPath, join(ROOT, 'build/conformance/ours.js')];
const PYTHON = ['python3', '-B', join(PYTHON_FOLDER, 'conformance.py')];

/** Rules that say nothing to one of the six roles: who they are for. */
const FOR_OTHERS: Readonly<Record<string, string>> = {
  publishers: `other-files write-order snapshots save-last hold-kept list-later newest-published next-statement
    request-follows signer-memory root-key-continues statements-stay verified-before-written publication-rules
    record-changes reserved-names changes-unsigned later-versions log-write-order log-witnesses`,
  hosts: 'query-ignored',
  'verifiers of other tokens': 'token-profile token-issuer',
  issuers: 'nonce nonce-signature mint issuer-errors access-token',
  holders: 'holders-messages ceremony holders-signing holders-nonces',
  mirrors: 'mirror-cosigns log-mirror',
  'makers of trust anchors': 'trust-anchor-thumbprint',
  'readers of tables, whose rows are cases of other rules': `roles error-codes other-codes client-steps auditor-codes
    list-hash list-checks named-list list-match checkpoint-steps statement-list statement-checkpoint public-log
    log-files log-audit tree-of-sums public-key rotation-commitment changes`,
};

/** Rules of a role without a case. What is not tested is told here. */
const MISSING = 'signed-bytes sums-updates action-http holders-record token-profile token-issuer';

const words = (text: string) => text.trim().split(/\s+/);

describe('the kit', () => {
  it('has at least 600 cases, each with another id, and some for every role', () => {
    expect(new Set(ALL.map(({ id }) => id)).size).toBe(ALL.length);
    expect(ALL.length).toBeGreaterThan(3000);
    for (const role of KIT_ROLES) {
      expect(CASES[role].length, role).toBeGreaterThan(200);
      expect(CASES[role].every(({ id }) => id.startsWith(`${role}/`))).toBe(true);
      const rights = CASES[role].flatMap(({ steps }) => steps.map(({ right }) => right === 'accept'));
      expect(rights.filter(Boolean).length, role).toBeGreaterThan(rights.length / 8);
      expect(rights.filter((one) => !one).length, role).toBeGreaterThan(rights.length / 8);
    }
  });

  it('has forty cases to begin with, of all topics', () => {
    for (const role of KIT_ROLES) {
      const start = startCases(CASES[role]);
      const topics = (cases: readonly KitCase[]) => new Set(cases.map(({ id }) => id.split('/')[1]));
      expect(start).toHaveLength(40);
      expect(topics(start)).toEqual(topics(CASES[role].filter(({ policy }) => policy === undefined)));
    }
  });

  it('is the same every time', () => {
    for (const role of ['list', 'passport'] as const) {
      expect(JSON.stringify([...kitCases(role)])).toBe(JSON.stringify(CASES[role]));
    }
    for (const folder of ['cases', 'kit']) {
      for (const name of readdirSync(join(ROOT, 'conformance', folder))) {
        const source = readFileSync(join(ROOT, 'conformance', folder, name), 'utf8');
        expect([name, /Date\.now|Math\.random|new Date\(\)/.test(source)]).toEqual([name, false]);
        expect([name, /from '(@passport-registry|\.\.\/\.\.)/.test(source)]).toEqual([name, false]);
      }
    }
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
    const named = [...Object.values(FOR_OTHERS).flatMap(words), ...words(MISSING)];
    expect(without.filter((id) => !named.includes(id))).toEqual([]);
    expect(words(MISSING).filter((id) => rules.has(id))).toEqual([]);
  });

  it('have cases to accept and cases to refuse, but for a few that only permit, or only forbid', () => {
    const oneSided = [...rules].filter(
      ([, { accepting, refusing }]) => accepting.length * refusing.length === 0,
    );
    expect(oneSided.map(([rule]) => rule).sort()).toEqual(['statement-absent']);
  });

  it('are in the table that people read', () => {
    expect(readFileSync(join(ROOT, 'conformance/rules.md'), 'utf8')).toBe(rulesTable(ALL));
  });
});

/** What is wrong with a run. */
const faultsOf = ({ results }: RunResult) =>
  results.filter(({ outcome, otherCodes }) => outcome !== 'passed' || otherCodes !== undefined);

const readXfails = () => {
  const text = readFileSync(join(PYTHON_FOLDER, 'python.xfails'), 'utf8');
  return new Set(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')));
};

/** Deadlines are waited for in the soak only. */
const isQuick = ({ id }: KitCase) => rounds({ usual: !id.includes('/deadline/'), soak: true });
const chosen = (role: KitRole, first: number) => sample(CASES[role], EVERY, first).filter(isQuick);

describe('our verifiers', () => {
  it.each(KIT_ROLES)('pass the cases of the role %s, with every code', async (role) => {
    const options = { role, command: OURS, xfails: new Set<string>(), timeoutMs: 60_000 };
    const result = await run(chosen(role, 0), options);
    expect(faultsOf(result)).toEqual([]);
  });
});

describeWithPython('the verifier in Python', () => {
  it.each(['list', 'lookup', 'client', 'log'] as const)('passes the cases of the role %s', async (role) => {
    const options = { role, command: PYTHON, xfails: readXfails(), timeoutMs: 60_000 };
    const result = await run(chosen(role, 31), options);
    expect(faultsOf(result).filter(({ outcome }) => outcome !== 'expected')).toEqual([]);
  });
});
