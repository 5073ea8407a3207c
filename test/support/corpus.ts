import { createHash } from 'node:crypto';
import { recordText } from './workspace.js';

/** A pseudo-random integer from 0 to `limit - 1`. The same seed always gives the same integer. */
function chance(seed: string, limit: number): number {
  return createHash('sha256').update(seed).digest().readUInt32BE() % limit;
}

/** The path and the content of a record file. Some are in a subfolder, some use more of YAML, some cause a warning. */
export function recordFile(number: number, revision = 0): [path: string, text: string] {
  const id = `issuer-${String(number).padStart(5, '0')}`;
  const folder = number % 7 === 0 ? `issuers/${number % 3}/` : 'issuers/';
  const ending = number % 11 === 0 ? 'yml' : 'yaml';
  const values = [undefined, "'passports@issuer.example'", 'null'];
  const text = recordText(id, {
    status: ['active', 'suspended', 'revoked'][chance(`${id} ${revision} status`, 3)],
    tier: ['certified', 'founding', 'registered'][chance(`${id} ${revision} tier`, 3)],
    contact: values[chance(`${id} ${revision} contact`, 3)],
    // A comment after a value, which only the full YAML parser accepts.
    ...(number % 5 === 0 && { domain_scope: '[ banking, "health" ] # as agreed' }),
    ...(number % 101 === 0 && { geographical_scope: '[UK]' }),
  });
  return [`${folder}${id}.${ending}`, text];
}
