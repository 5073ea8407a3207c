import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFiles } from './workspace.js';

const DAY_MS = 86_400_000;

/** Creates a self-signed certificate of a host, as `<name>.pem` and `<name>.key` in a folder. It is valid for two days. */
export function certificate(folder: string, name: string, host: string): void {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('2a8648ce3d040302')); // ecdsa-with-SHA256
  const commonName = sequence(oid('550403'), element(0x0c, Buffer.from(host)));
  const subject = sequence(element(0x31, commonName));
  const alternativeName = sequence(element(0x82, Buffer.from(host)));
  const isAuthority = sequence(element(0x01, Buffer.from([0xff])));
  const toSign = sequence(
    element(0xa0, integer(2)), // version 3
    integer(1),
    algorithm,
    subject,
    sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(extension('551d11', alternativeName), extension('551d13', isAuthority))),
  );
  const signature = sign('sha256', toSign, privateKey);
  const signed = sequence(toSign, algorithm, element(0x03, Buffer.from([0]), signature));
  const base64 = signed.toString('base64').replaceAll(/.{64}/g, '$&\n').trim();
  writeFiles(folder, {
    [`${name}.pem`]: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    [`${name}.key`]: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  });
}

/** An element of DER. */
function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => element(0x30, ...parts);

const integer = (value: number): Buffer => element(0x02, Buffer.from([value]));

const oid = (hex: string): Buffer => element(0x06, Buffer.from(hex, 'hex'));

const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), element(0x04, value));

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\D/g, '').slice(2, 14);
  return element(0x17, Buffer.from(`${digits}Z`));
}
