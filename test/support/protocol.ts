import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.js';

/** The core of the protocol. */
export const CORE = 'docs/protocol.md';

/** All documents of the protocol: the core, then the parts. */
export const DOCUMENTS: readonly string[] = [
  CORE,
  ...readdirSync(join(ROOT, 'docs/protocol'))
    .sort()
    .map((name) => `docs/protocol/${name}`),
];

export const VECTORS = 'docs/protocol/vectors.md';
/** The shell script that verifies a list. */
export const SCRIPTS = 'docs/verifiers/openssl.md';

/** Returns the text of one document. The text of the core ends before its list of the rules that stand in parts. */
export function textOf(document: string): string {
  const text = readFileSync(join(ROOT, document), 'utf8');
  return document === CORE ? (text.split('## Where each rule stands\n')[0] ?? '') : text;
}

/** The text of the whole protocol. */
export const protocol = DOCUMENTS.map(textOf).join('\n');

/** Returns what stands below a heading, up to the next heading of any document that is not lower. */
export function section(heading: string): string {
  const found = DOCUMENTS.flatMap((document) => textOf(document).split(/^(?=##? )/m)).filter((one) =>
    one.startsWith(`## ${heading}\n`),
  );
  if (found.length !== 1) throw new Error(`${found.length} sections of the protocol are called ${heading}`);
  return found[0] as string;
}

/** Returns the rows of all tables in some sections, each as a list of cells. */
export function rows(...headings: string[]): string[][] {
  return headings
    .flatMap((heading) => section(heading).split('\n'))
    .filter((line) => line.startsWith('| ') && !line.startsWith('|---'))
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim()),
    );
}
