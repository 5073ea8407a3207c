import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Case, Step } from '../cases/case.js';
import { filesOf } from '../cases/make-case.js';

/** A folder for each part of the id, in characters that every disk has. */
const folderOf = (id: string) => id.replaceAll(/[^\w./+-]/g, '-').replaceAll('..', '--');

/** Writes a file, and the folders above it. */
export function write(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Writes a case as a folder, for whoever reads files rather than messages: `case.json`, a README, and the files of each step. */
export function writeCase(one: Case, out: string): void {
  const folder = join(out, folderOf(one.id));
  const steps = one.steps.map((step, at) => stepOf(step, join(folder, String(at))));
  write(join(folder, 'case.json'), `${JSON.stringify({ ...one, steps }, null, 2)}\n`);
  const readme = `# ${one.id}\n\n${one.why} The rule ${one.rule} of the protocol decides.\n`;
  write(join(folder, 'README.md'), readme);
}

/** Writes the files of a step: those of its sources, by their number. Returns what else there is to say of it. */
function stepOf({ sources = [], ...step }: Step, folder: string): object {
  for (const [number, source] of sources.entries()) {
    for (const [path, bytes] of filesOf(source)) write(join(folder, String(number), path), bytes);
  }
  const scripts = sources.map(({ script = {} }) => script);
  return { ...step, ...(scripts.some((script) => Object.keys(script).length > 0) && { scripts }) };
}
