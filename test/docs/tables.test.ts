import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSPORT_REASONS, VERDICT_CHECKS } from '@passport-registry/passports';
import { PROOF_HEADER, requirePassport } from '@passport-registry/passports/fetch';
import { assertTrustPolicy } from '@passport-registry/verifier';
import { CHECKS } from 'passport-registry';
import { describe, expect, it } from 'vitest';
import { operatorText, verifierText } from '../support/documents.js';
import { ROOT } from '../support/paths.js';
import { section } from '../support/protocol.js';
import { cli } from '../support/workspace.js';

/** The shell commands and the words in code of all documents for people who run commands. */
const DOCUMENTS = [operatorText(), verifierText(), ...['holders', 'mirrors', 'issuers'].map(read)].join('\n');

function read(name: string): string {
  return readFileSync(join(ROOT, 'docs', `${name}.md`), 'utf8');
}

/** Returns the options of a command, as its help shows them, and the names of its sub-commands. */
async function helpOf(command: readonly string[]) {
  const { stdout } = await cli([...command, '--help'], ROOT);
  return {
    options: [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option = '']) => option),
    names: [...stdout.replace(/^Arguments:\n(?: .*\n)+/m, '').matchAll(/^ {2}([a-z]+) [^:]/gm)].map(
      ([, name = '']) => name,
    ),
  };
}

/** Returns the options of each command, by its words. */
async function allOptions(command: readonly string[] = []): Promise<Map<string, string[]>> {
  const { options, names } = await helpOf(command);
  const below = await Promise.all(
    names.filter((name) => name !== 'help').map((name) => allOptions([...command, name])),
  );
  return new Map([[command.join(' '), options], ...below.flatMap((one) => [...one])]);
}

describe('the options in the documents', () => {
  it('are those of the commands', async () => {
    const options = await allOptions();
    expect(options.size).toBeGreaterThan(20);
    const joined = DOCUMENTS.replaceAll(/ \\\n\s*/g, ' ');
    const lines = [...joined.matchAll(/(?:npx )?passport-registry ([a-z][^\n`]*)/g)].flatMap(
      ([, line = '']) => line.split(/ && | \|\| |; /, 1),
    );
    const wrong = lines.flatMap((line) => {
      const own = line.split(" '", 1)[0] ?? '';
      const words = own.split(' ');
      const names = [3, 2, 1].map((length) => words.slice(0, length).join(' '));
      const command = options.get(names.find((name) => options.has(name)) ?? '');
      const used = [...own.matchAll(/ (--[a-z][a-z-]*)/g)].map(([, option = '']) => option);
      return used
        .filter((option) => command?.includes(option) === false)
        .map((option) => `${line}: ${option}`);
    });
    expect(lines.length).toBeGreaterThan(60);
    expect(wrong).toEqual([]);
    const all = new Set([...options.values()].flat());
    const alone = [...joined.matchAll(/`(--[a-z][a-z-]*)[^`]*`/g)].map(([, option = '']) => option);
    expect(alone.length).toBeGreaterThan(50);
    // An option of npx.
    expect([...new Set(alone.filter((option) => !all.has(option)))]).toEqual(['--package']);
  });
});

describe('The error codes of the command line', () => {
  it('are in a document, with their exit codes', () => {
    const files = ['generator/errors.ts', 'custody/shared-key/shared-key-rejected.ts'];
    const errors = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
    const codes = new Set([...errors.matchAll(/'(ERR_[A-Z_]+)'/g)].map(([, code = '']) => code));
    expect(codes.size).toBeGreaterThan(20);
    const rows = [...read('operators/status').matchAll(/^\| (\d+) \| .* \| (.*) \|$/gm)];
    const exits = new Map(
      rows.flatMap(([, exit, cell = '']) => (cell.match(/ERR_\w+/g) ?? []).map((code) => [code, exit])),
    );
    expect([...exits.keys()].sort()).toEqual([...codes, 'ERR_INTERNAL'].sort());
    const single = errors.matchAll(/code = '(ERR_\w+)';\n {2}readonly exitCode = (\d+)/g);
    for (const [, code = '', exit] of single) expect([code, exits.get(code)]).toEqual([code, exit]);
  });
});

const document = verifierText();
const source = (path: string) => readFileSync(join(ROOT, 'verifier/src', path), 'utf8');

describe('docs/verifiers.md and docs/verifiers/', () => {
  it('has only valid policies in its cookbook', () => {
    const policies = [...document.matchAll(/\| `(\{ "tiers".*\})` \|/g)].map(([, policy]) => policy ?? '');
    expect(policies.length).toBeGreaterThanOrEqual(8);
    for (const policy of policies) assertTrustPolicy(JSON.parse(policy));
  });

  it('explains every error code and every reason of a decision', () => {
    const codes = [...source('core/errors.ts').matchAll(/^ {2}\| '(ERR_[A-Z_]+)'/gm)].map(
      ([, code]) => code ?? '',
    );
    const reasons = [...source('policy/requirements.ts').matchAll(/^ {2}\| '([a-z-]+)'/gm)].map(
      ([, reason]) => reason ?? '',
    );
    expect(codes.length).toBeGreaterThan(30);
    expect(reasons.length).toBeGreaterThan(10);
    const names = [...codes, ...reasons, ...Object.keys(PASSPORT_REASONS)];
    for (const name of names) expect(document).toContain(`\`${name}\``);
  });

  it('leaves the checks of an action to the protocol, which has them in this order', () => {
    const steps = read('protocol/passports').matchAll(/^\d+\. (?:<a id="[\w-]+"><\/a>)?\*\*([\w-]+)\*\*:/gm);
    const names = [...steps].map(([, name]) => name);
    expect(names.slice(0, VERDICT_CHECKS.length)).toEqual([...VERDICT_CHECKS]);
  });

  it('names only reasons that exist', () => {
    const [, table = ''] = /## Why a passport or an action is refused([\s\S]*?)\n## /.exec(document) ?? [];
    const named = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(
      ([, cell = '']) => cell.match(/[a-z-]+/g) ?? [],
    );
    expect(named.sort()).toEqual(Object.keys(PASSPORT_REASONS).sort());
  });
});

describe('the refused requests in docs/agents.md', () => {
  const rows = [...read('agents').matchAll(/^\| (\d+) \| (.*?) ?\| (.*) \|$/gm)].map(
    ([, status = '', error = '', when = '']) => ({
      status: Number(status),
      error: error.replaceAll('`', ''),
      when,
    }),
  );
  const sent = { Authorization: 'Bearer a.b.c', [PROOF_HEADER]: 'a.b.c' };

  /** The error that a challenge names, as the table says it. */
  const errorIn = (challenge: string | null) =>
    challenge === null ? '' : (/error="(\w+)"/.exec(challenge)?.[1] ?? 'none');

  /** Returns the row of a refusal: status and challenge are those of the response. */
  async function rowOf(code: string, init: RequestInit = {}, query = '') {
    const verdict = { allowed: false, reasons: [{ code, message: 'refused' }] };
    const verifier = { verifyAction: async () => verdict as never };
    const handler = requirePassport({ verifier, action: 'email.send' }, () => new Response('admitted'));
    const request = { method: 'POST', headers: sent, body: '{}', ...init };
    const response = await handler(new Request(`https://mail.example/send${query}`, request));
    const { status, headers } = response;
    const { error, details } = (await response.json()) as { error: string; details: object };
    const challenge = headers.get('WWW-Authenticate');
    const found = rows.filter((row) => row.status === status && row.error === errorIn(challenge));
    expect(found, code).toHaveLength(1);
    const [row] = found as [(typeof rows)[number]];
    expect([code, row.when.includes('Retry-After')]).toEqual([code, headers.has('Retry-After')]);
    expect([code, row.when.includes('`scope`')]).toEqual([code, / scope="/.test(challenge ?? '')]);
    return { row, error, hasReasons: 'reasons' in details };
  }

  it('are those of the middleware, for every reason', async () => {
    const reached = new Set<unknown>();
    for (const code of [...Object.keys(PASSPORT_REASONS), 'status-revoked']) {
      const { row, error, hasReasons } = await rowOf(code);
      expect([error, hasReasons]).toEqual([code, true]);
      if (row.status === 400) expect(row.when).toContain(`\`${code}\``);
      reached.add(row);
    }
    const [, limit = ''] = /`maxBodyBytes` \((\d+) MiB\)/.exec(document) ?? [];
    const others: [string, RequestInit, string?][] = [
      ['passport-missing', { headers: {} }],
      ['proof-missing', { headers: { Authorization: 'Bearer a.b.c' } }],
      ['body-not-json', { body: '{' }],
      ['payload-ambiguous', { body: '{"a":1}' }, '?to=me'],
      ['body-encoded', { headers: { ...sent, 'Content-Encoding': 'gzip' } }],
      ['body-too-large', { body: `{"a":"${'x'.repeat(Number(limit) * 2 ** 20 - 7)}"}` }],
    ];
    for (const [code, init, query] of others) {
      const { row, error, hasReasons } = await rowOf(code, init, query);
      expect([error, hasReasons]).toEqual([code, false]);
      reached.add(row);
    }
    expect(rows.filter((row) => !reached.has(row))).toEqual([]);
    expect(rows.length).toBeGreaterThan(7);
  });
});

describe('the codes of an auditor in docs/protocol/publishers.md', () => {
  const rows = [
    ...section('The codes of an auditor').matchAll(/^\| `([a-z ]+)` \| (.*) \| (.*) \| (.*) \|$/gm),
  ];

  it('are given for every check, in their order', () => {
    expect(rows.map(([, name]) => name)).toEqual([...CHECKS]);
  });

  it('are those of the check, or of the verifier', () => {
    const errors = source('core/errors.ts');
    for (const [, name = '', , own = '', others = ''] of rows) {
      expect([name, own]).toEqual([name, expect.stringMatching(/^–$|^`ERR_AUDIT_[A-Z_]+`$/)]);
      if (own !== '–') expect(own).toBe(`\`ERR_AUDIT_${name.toUpperCase().replaceAll(' ', '_')}\``);
      for (const [code] of others.matchAll(/ERR_[A-Z_]+/g)) expect(errors).toContain(`'${code}'`);
    }
  });
});
