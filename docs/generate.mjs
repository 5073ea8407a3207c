// Writes the list of rules into docs/issuers.md, from the compiled generator/diagnostics/rules.ts. With `--check`,
// writes nothing, and fails if the list is out of date.

import { readFileSync, writeFileSync } from 'node:fs';
import { RULES } from '../build/generator/diagnostics/rules.js';

const target = new URL('issuers.md', import.meta.url);
const [START, END] = [/<!-- rules: .* -->\n/, '<!-- end of rules -->'];

function renderRules() {
  const lines = Object.entries(RULES).map(
    ([name, { severity, expected }]) =>
      `- \`${name}\`${severity === 'warning' ? ' (warning)' : ''}: ${expected}`,
  );
  // Outside of code, Markdown treats <issuer_id> as an HTML tag.
  return [...lines.map((line) => line.replaceAll('<', '&lt;')), ''].join('\n');
}

const text = readFileSync(target, 'utf8');
const start = START.exec(text);
const from = start.index + start[0].length;
const current = `${text.slice(0, from)}\n${renderRules()}\n${text.slice(text.indexOf(END))}`;

if (!process.argv.includes('--check')) {
  writeFileSync(target, current);
} else if (text !== current) {
  console.error(
    'docs/issuers.md is out of date with generator/diagnostics/rules.ts: run `npm run generate`.',
  );
  process.exitCode = 1;
}
