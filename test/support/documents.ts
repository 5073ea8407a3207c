import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.js';

/** Returns the blocks of shell commands between a heading of a document and the next heading. */
export function commandsBelow(document: string, heading: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const sections = text.split(/^#+ /m);
  const section = sections.find((one) => one.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${document} has no heading ${heading}`);
  const blocks = [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, commands]) => commands ?? '');
  if (blocks.length === 0) throw new Error(`${document} has no commands below ${heading}`);
  return blocks;
}
