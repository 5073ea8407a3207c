// `node conformance/compare.mjs BEFORE AFTER`: prints how the answers of two runs differ (`conformance run --answers FILE`), and ends
// with 1 if they do: before and after a change, or those of two programs.

import { readFileSync } from 'node:fs';

const [before, after] = process.argv.slice(2).map(read);
if (after === undefined) {
  console.error('usage: node conformance/compare.mjs BEFORE AFTER');
  process.exit(2);
}

/** Reads the answers by case and step. */
function read(file) {
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((line) => ({ ...line, code: [line.code ?? []].flat() }));
  return new Map(lines.map((line) => [`${line.case} ${line.step}`, line]));
}

const says = (line) => (line === undefined ? 'nothing' : [line.verdict, ...line.code].join(' '));

/** The differences, by what both say. */
const groups = new Map();
for (const key of new Set([...before.keys(), ...after.keys()])) {
  const [one, other] = [before.get(key), after.get(key)];
  if (JSON.stringify(one) === JSON.stringify(other)) continue;
  const [from, to] = [says(one), says(other)];
  const group = from === to ? `${from}, with other facts` : `${from} -> ${to}`;
  groups.set(group, [...(groups.get(group) ?? []), `${(one ?? other).case} (step ${(one ?? other).step})`]);
}

const SHOWN = 10;
for (const [group, cases] of [...groups].sort()) {
  console.log(`${group}: ${cases.length}`);
  for (const one of cases.slice(0, SHOWN)) console.log(`  ${one}`);
  if (cases.length > SHOWN) console.log(`  and ${cases.length - SHOWN} more`);
}
const count = [...groups.values()].reduce((sum, cases) => sum + cases.length, 0);
console.log(`${count} differences in ${before.size} and ${after.size} verdicts`);
process.exitCode = count === 0 ? 0 : 1;
