// Writes the names of the rules into docs/issuers.md, from the compiled generator/diagnostics/rules.ts. With `--check`,
// writes nothing, and fails if the names are out of date.

import { readFileSync, writeFileSync } from 'node:fs';
import { RULES } from '../build/generator/diagnostics/rules.js';

const target = new URL('issuers.md', import.meta.url);
const [START, END] = [/<!-- rules: .* -->\n/, '<!-- end of rules -->'];
const WIDTH = 120;

/** Breaks a list of names into lines. */
function wrapped(names) {
  const lines = [''];
  for (const name of names) {
    const longer = `${lines.at(-1)} ${name}`.trim();
    if (longer.length > WIDTH) lines.push(name);
    else lines[lines.length - 1] = longer;
  }
  return lines.join('\n');
}

function renderRules() {
  const named = (severity) =>
    Object.entries(RULES)
      .filter(([, rule]) => rule.severity === severity)
      .map(([name]) => `\`${name}\``)
      .join(', ')
      .split(' ');
  return `${wrapped(['Errors:', ...named('error')])}.\n\n${wrapped(['Warnings:', ...named('warning')])}.\n`;
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
