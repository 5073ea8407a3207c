import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { GOLDEN_NAMES, golden } from './cases/goldens.js';
import { type Case, cases } from './cases/index.js';

/** `node build/conformance/write-cases.js`: writes the cases as folders, and the golden trees that they change. */
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'test-results/conformance/cases' },
    only: { type: 'string', default: '' },
  },
});

function write(path: string, content: string | Uint8Array): void {
  const file = join(values.out, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** A folder for each part of the id, in characters that every disk has. */
const folderOf = (id: string) => id.replaceAll(/[^\w./+-]/g, '-');

function readmeOf({ id, rule, roles, why }: Case): string {
  return `# ${id}\n\n${why} The rule ${rule} decides (docs/protocol.md#${rule}). For: ${roles.join(', ')}.\n`;
}

rmSync(values.out, { recursive: true, force: true });
for (const name of GOLDEN_NAMES) {
  for (const [path, bytes] of golden(name).files) write(join('bases', name, path), bytes);
}
let count = 0;
for await (const one of cases({ only: values.only })) {
  const folder = join('cases', folderOf(one.id));
  write(join(folder, 'case.json'), `${JSON.stringify(one, null, 2)}\n`);
  write(join(folder, 'README.md'), readmeOf(one));
  count += 1;
}
process.stdout.write(`${count} cases: ${values.out}\n`);
