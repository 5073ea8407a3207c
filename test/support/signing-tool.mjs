// A program that signs, as that of an HSM does. Prints its signature over a file, or over stdin, in one of several forms.
// Usage: node signing-tool.mjs KEY FORM [FILE]
import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [keyFile, form, file = 0] = process.argv.slice(2);
const key = createPrivateKey(readFileSync(keyFile));
const [format, encoding] = form.startsWith('der') ? ['der', form.slice('der-'.length)] : ['raw', form];
const dsaEncoding = format === 'der' ? 'der' : 'ieee-p1363';
const signature =
  key.asymmetricKeyType === 'ec'
    ? sign('sha256', readFileSync(file), { key, dsaEncoding })
    : sign(null, readFileSync(file), key);
process.stdout.write(
  ['base64', 'base64url', 'hex'].includes(encoding) ? `${signature.toString(encoding)}\n` : signature,
);
