import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertTrustPolicy, PASSPORT_REASONS, VERDICT_CHECKS } from '@passport-registry/verifier';
import { CHECKS } from 'passport-registry';
import { describe, expect, it } from 'vitest';
import { operatorText } from '../support/documents.js';
import { ROOT } from '../support/paths.js';
import { section } from '../support/protocol.js';
import { cli } from '../support/workspace.js';

const OPERATORS = operatorText();
const optionsIn = (text: string) => [...text.matchAll(/--[a-z][a-z-]*/g)].map(([option]) => option);

/** Returns the options that the table of a command names, in any of its rows. */
function inTable(command: string): Set<string> {
  const [, table = ''] = OPERATORS.split(`| Option of \`${command}\` | Meaning |\n|---|---|\n`);
  const rows = table.slice(0, table.indexOf('\n\n'));
  return new Set(optionsIn([...rows.matchAll(/`(--[^`]*)`/g)].map(([, code]) => code).join('\n')));
}

/** Returns the options that the help of a command shows. */
async function inHelp(command: string): Promise<Set<string>> {
  const { stdout } = await cli([...command.split(' '), '--help', '--all'], ROOT);
  return new Set([...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option as string));
}

describe('the tables of options in the pages for operators', () => {
  it.each(['init', 'build', 'keys rotate'])('name every option of %s, and no other', async (command) => {
    expect([...inTable(command)].sort()).toEqual([...(await inHelp(command))].sort());
  });

  it('are all compared', () => {
    const tables = [...OPERATORS.matchAll(/^\| Option of `([a-z ]+)` \|/gm)].map(([, command]) => command);
    expect(tables.sort()).toEqual(['build', 'init', 'keys rotate']);
  });
});

const document = readFileSync(join(ROOT, 'docs/verifiers.md'), 'utf8');
const source = (path: string) => readFileSync(join(ROOT, 'verifier/src', path), 'utf8');

describe('docs/verifiers.md', () => {
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
    const names = [...codes, ...reasons, ...Object.keys(PASSPORT_REASONS), ...VERDICT_CHECKS];
    for (const name of names) expect(document).toContain(`\`${name}\``);
  });

  it('names only reasons that exist', () => {
    const [, table = ''] = /### Why a passport or an action is refused([\s\S]*?)\n## /.exec(document) ?? [];
    const named = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(
      ([, cell = '']) => cell.match(/[a-z-]+/g) ?? [],
    );
    expect(named.sort()).toEqual(Object.keys(PASSPORT_REASONS).sort());
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
