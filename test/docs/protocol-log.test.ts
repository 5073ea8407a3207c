import { createHash } from 'node:crypto';
import { createRegistryClient, openRegistry } from '@passport-registry/verifier';
import { bundlePath, formatBundle, tilePath } from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { golden } from '../../build/conformance/cases/goldens.js';
import { memberText } from '../../build/conformance/cases/statements.js';
import { altered } from '../support/altered.js';
import { codeOf, verdictOf } from '../support/log-clients.js';
import { LoggedRegistry, PROOF } from '../support/logged-registry.js';
import { cosignatureBy, lineOf, signatureBy } from '../support/note-keys.js';
import { protocol } from '../support/protocol.js';
import { testKey } from '../support/publication.js';
import { copyIn } from '../support/sources.js';

const [DAY, T] = [24 * 3600, 300_000];

describe('the times of cosignatures (rule clocks)', () => {
  let registry: LoggedRegistry;
  beforeAll(async () => {
    registry = new LoggedRegistry(await testKey());
    await registry.publish();
  });

  it('count for a client up to the tolerance in both directions', async () => {
    const { files, now } = registry;
    const at = (clock: number, more: object = {}) =>
      verdictOf(createRegistryClient, registry, { files, now: clock, ...more });
    expect(await at(now + 30 * DAY * 1000 + T)).toBe('accepted');
    expect(await at(now + 30 * DAY * 1000 + T + 1)).toBe('ERR_TOO_FEW_COSIGNATURES');
    const future = { files: await registry.prove({ cosigned: registry.cosigning(2, now + 1000) }) };
    expect(await at(now + 1000 - T, future)).toBe('accepted');
    expect(await at(now + 1000 - T - 1, future)).toBe('ERR_TOO_FEW_COSIGNATURES');
  });

  it('date a copy, and are never in the future of one', async () => {
    const { now } = registry;
    const copy = async (signed: number, clock: number) => {
      const files = await registry.prove({ cosigned: registry.cosigning(2, signed) });
      const options = { trustAnchor: registry.anchor(2), maxAge: DAY, now: () => clock };
      return codeOf(openRegistry(copyIn(files), options));
    };
    expect(await copy(now - 10_000, now - 10_000 + DAY * 1000 + T)).toBe('accepted');
    expect(await copy(now - 10_000, now - 10_000 + DAY * 1000 + T + 1)).toBe('ERR_LIST_EXPIRED');
    expect(await copy(now + T, now)).toBe('accepted');
    expect(await copy(now + T + 1000, now)).toBe('ERR_TOO_FEW_COSIGNATURES');
  });
});

describe('the proof of the log (rule log-proof)', () => {
  it('can have a head with extension lines, which are signed, and extra data, which is base64', async () => {
    const registry = new LoggedRegistry(await testKey());
    await registry.publish();
    const proof = String(registry.files.get(PROOF));
    const [start = ''] = proof.split('\n\n');
    const head = `${proof.split('\n\n')[1]}\n`;
    const withHead = (text: string, cosigned = text) => {
      const cosignatures = registry.witnesses.map((one) => cosignatureBy(one, cosigned, registry.now / 1000));
      const lines = [signatureBy(registry.log.signer, text), ...cosignatures].map(lineOf).join('');
      return `${start}\n\n${text}\n${lines}`;
    };
    const verdict = (text: string) =>
      verdictOf(createRegistryClient, registry, { files: altered(registry.files, PROOF, text) });
    expect(await verdict(withHead(head))).toBe('accepted');
    expect(await verdict(withHead(`${head}more\n`))).toBe('accepted');
    expect(await verdict(withHead(`${head}more\n`, head))).toBe('ERR_TOO_FEW_COSIGNATURES');
    expect(await verdict(withHead(`${head}more\n\nmore\n`))).toBe('ERR_NOT_LOGGED');
    expect(await verdict(proof.replace('\nindex', '\nextra AAAA\nindex'))).toBe('accepted');
    expect(await verdict(proof.replace('\nindex', '\nextra !!!\nindex'))).toBe('ERR_NOT_LOGGED');
  });
});

/** Asserts that the document says something, however its lines are broken. */
const states = (text: string) => expect(protocol.replaceAll(/\s+/g, ' ')).toContain(text);

describe('the bytes of the log (rule log-bytes)', () => {
  const hash = (...parts: (Buffer | string)[]) =>
    createHash('sha256')
      .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
      .digest();

  it('are the hashes, the paths and the proof that the document shows', () => {
    const [a, b] = ['a', 'b'].map((entry) => hash(Buffer.of(0), entry)) as [Buffer, Buffer];
    const root = hash(Buffer.of(1), a, b);
    for (const value of [a, b, root]) states(value.toString('hex'));
    states(tilePath({ level: 0, index: 1_234_067, width: 256 }));
    states(tilePath({ level: 0, index: 1_234_067, width: 7 }));
    states(bundlePath({ index: 1_234_067, width: 256 }));
    const bundle = Buffer.from(formatBundle([Buffer.from('a'), Buffer.from('bc')]));
    states(bundle.toString('hex').replaceAll(/..(?!$)/g, '$& '));
    expect(protocol).toContain(memberText(golden('log').files, 'log_proof') ?? 'no proof');
  });
});
