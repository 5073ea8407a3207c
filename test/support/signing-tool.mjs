// A program that signs, as that of an HSM does. Prints the raw signature over a file, or over stdin.
// Usage: node signing-tool.mjs KEY [FILE]
import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [keyFile, file = 0] = process.argv.slice(2);
const key = createPrivateKey(readFileSync(keyFile));
const digest = key.asymmetricKeyType === 'ec' ? 'sha256' : null;
process.stdout.write(sign(digest, readFileSync(file), { key, dsaEncoding: 'ieee-p1363' }));
