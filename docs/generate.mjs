// Puts the table of rules into docs/issuers.md, from the compiled generator/diagnostics/rules.ts. `--check` writes nothing and
// fails when the table is not current.

import { readFileSync, writeFileSync } from 'node:fs';
import { RULES } from '../build/diagnostics/rules.js';

const target = new URL('issuers.md', import.meta.url);
const [START, END] = [/<!-- rules: .* -->\n/, '<!-- end of rules -->'];

function table() {
  const rows = Object.entries(RULES).map(
    ([name, { severity, expected, remedy }]) => `| \`${name}\` | ${severity} | ${expected} | ${remedy} |`,
  );
  // Outside of code, Markdown takes <issuer_id> for a tag.
  const lines = rows.map((row) => row.replaceAll('<', '&lt;'));
  return ['| Rule | | Expected | Remedy |', '|---|---|---|---|', ...lines, ''].join('\n');
}

const text = readFileSync(target, 'utf8');
const start = START.exec(text);
const from = start.index + start[0].length;
const current = `${text.slice(0, from)}\n${table()}\n${text.slice(text.indexOf(END))}`;

if (!process.argv.includes('--check')) {
  writeFileSync(target, current);
} else if (text !== current) {
  console.error('docs/issuers.md is not what generator/diagnostics/rules.ts says: run `npm run generate`.');
  process.exitCode = 1;
}
