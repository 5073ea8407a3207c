import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const INPUT = 'request/publication.signing-input';

/** Signs both files of the request in a folder with the key there, whatever they say. */
export function signFiles(folder: string): void {
  const key = createPrivateKey(readFileSync(join(folder, 'key.pem')));
  const signed = { 'request/issuers.json': 'issuers.sig', [INPUT]: 'publication.sig' };
  for (const [payload, signature] of Object.entries(signed)) {
    const bytes = readFileSync(join(folder, payload));
    writeFileSync(join(folder, 'request', signature), sign(null, bytes, key).toString('base64url'));
  }
}

type Json = Record<string, unknown>;

/** Alters the statement to sign. Members are sorted, as in a canonical statement. */
export function alterStatement(folder: string, claims: Json, header: Json = {}): void {
  const file = join(folder, INPUT);
  const decode = (part = ''): Json => JSON.parse(Buffer.from(part, 'base64url').toString());
  const [head, said] = readFileSync(file, 'utf8').split('.');
  const encode = (value: Json) => {
    const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Buffer.from(JSON.stringify(Object.fromEntries(sorted))).toString('base64url');
  };
  writeFileSync(file, `${encode({ ...decode(head), ...header })}.${encode({ ...decode(said), ...claims })}`);
}
