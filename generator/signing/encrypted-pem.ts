import { createCipheriv, type KeyObject, pbkdf2Sync, randomBytes } from 'node:crypto';

/** Iterations of PBKDF2 with HMAC-SHA-512, far more than usual. The `export` of Node.js makes only 2,048. */
const ITERATIONS = 600_000;

/** Object identifiers of RFC 8018 (PBES2, PBKDF2, HMAC-SHA-512) and of AES-256 in CBC mode, in DER. */
const OIDS = {
  pbes2: '06092a864886f70d01050d',
  pbkdf2: '06092a864886f70d01050c',
  hmacSha512: '06082a864886f70d020b',
  aes256Cbc: '060960864801650304012a',
};

/** A private key as encrypted PKCS#8 PEM (RFC 5958, section 3), which openssl and Node.js read. */
export function encryptedPem(key: KeyObject, passphrase: string): string {
  const [salt, iv] = [randomBytes(16), randomBytes(16)];
  const cipher = createCipheriv('aes-256-cbc', pbkdf2Sync(passphrase, salt, ITERATIONS, 32, 'sha512'), iv);
  const encrypted = Buffer.concat([
    cipher.update(key.export({ type: 'pkcs8', format: 'der' })),
    cipher.final(),
  ]);
  const prf = sequence(oid('hmacSha512'), NULL);
  const derivation = sequence(oid('pbkdf2'), sequence(octets(salt), integer(ITERATIONS), prf));
  const scheme = sequence(oid('aes256Cbc'), octets(iv));
  const info = sequence(sequence(oid('pbes2'), sequence(derivation, scheme)), octets(encrypted));
  const lines = info.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${lines}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
}

const NULL = Buffer.from('0500', 'hex');
const oid = (name: keyof typeof OIDS): Buffer => Buffer.from(OIDS[name], 'hex');
const octets = (bytes: Buffer): Buffer => value(0x04, bytes);
const sequence = (...values: readonly Buffer[]): Buffer => value(0x30, Buffer.concat(values));

/** A positive integer below 2 ** 31. */
function integer(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  const first = bytes.findIndex((byte) => byte !== 0);
  const minimal = bytes.subarray(first);
  return value(0x02, (minimal[0] ?? 0) < 0x80 ? minimal : bytes.subarray(first - 1));
}

/** A DER value of at most 65,535 bytes. */
function value(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
