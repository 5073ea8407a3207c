// Writes names of the compiled code into documents: those of the rules into docs/issuers.md, and those of a monitor's findings
// into docs/operators/log.md. With `--check`, writes nothing, and fails if a document is out of date.

import { readFileSync, writeFileSync } from 'node:fs';
import { RULES } from '../build/generator/diagnostics/rules.js';
import { KIND_OF } from '../build/observers/monitoring/finding.js';

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

/** Writes a paragraph with the names of each kind. @param kinds - the word before the names of each kind */
function paragraphs(kindOf, kinds) {
  return Object.entries(kinds)
    .map(([kind, word]) => {
      const names = Object.keys(kindOf).filter((name) => kindOf[name] === kind);
      const list = names.map((name) => `\`${name}\``).join(', ');
      return `${wrapped([`${word}:`, ...list.split(' ')])}.\n`;
    })
    .join('\n');
}

const severityOf = Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, rule.severity]));

const LISTS = [
  {
    document: 'issuers.md',
    marker: 'rules',
    source: 'generator/diagnostics/rules.ts',
    text: paragraphs(severityOf, { error: 'Errors', warning: 'Warnings' }),
  },
  {
    document: 'operators/log.md',
    marker: 'findings',
    source: 'observers/monitoring/finding.ts',
    text: paragraphs(KIND_OF, {
      alarm: 'Alarms',
      change: 'Changes of an issuer that you name',
      unchecked: 'Not checked',
      warning: 'Warnings',
      note: 'Notes',
    }),
  },
];

for (const { document, marker, source, text } of LISTS) {
  const target = new URL(document, import.meta.url);
  const current = readFileSync(target, 'utf8');
  const start = new RegExp(`<!-- ${marker}: .* -->\n`).exec(current);
  const before = current.slice(0, start.index + start[0].length);
  const generated = `${before}\n${text}\n${current.slice(current.indexOf(`<!-- end of ${marker} -->`))}`;
  if (!process.argv.includes('--check')) {
    writeFileSync(target, generated);
  } else if (current !== generated) {
    console.error(`docs/${document} is out of date with ${source}: run \`npm run generate\`.`);
    process.exitCode = 1;
  }
}
