import type { Issuer } from '@passport-registry/verifier';
import type { PastPublication } from '../../observers/past/answer.js';
import { type Output, writeLine } from './io.js';

/** Prints a publication of the past, and whose times these are. */
export function writePublication(
  output: Output,
  { from, until, cosignedAt, sequence, updatedAt, sha256 }: PastPublication,
): void {
  const lines = [
    `signed       ${from}, ${until === null ? 'not replaced yet' : `replaced ${until}`}`,
    'clock        that of the registry, which signed these times',
    cosignedAt === null
      ? 'log          NOT witnessed: the trust anchor names no witnesses'
      : `log          newest head cosigned by witnesses at ${cosignedAt}`,
    `publication  ${sequence}, list of ${updatedAt}`,
    `sha256       ${sha256}`,
  ];
  for (const line of lines) writeLine(output, `    ${line}`);
}

/** Says what a list said of an issuer, in words that follow "was". */
export function inWords(issuer: Issuer | null): string {
  return issuer === null ? 'NOT listed' : `listed as ${issuer.tier}, ${issuer.status}`;
}
