import { beforeEach, describe, expect, it } from 'vitest';
import { CLIENTS, logReader, verdictOf } from '../../support/log-clients.js';
import { altered, LoggedRegistry, PROOF } from '../../support/logged-registry.js';
import { at, type Files, rotationStep, testKey, withRotation } from '../../support/publication.js';
import { shortenRetries } from '../../support/short-retries.js';
import { noteSigner, ORIGIN, TestLog } from '../../support/test-log.js';

shortenRetries();

const [ACCEPTED, NOT_LOGGED] = ['accepted', 'ERR_NOT_LOGGED'];

let registry: LoggedRegistry;
beforeEach(async () => {
  registry = new LoggedRegistry(await testKey());
});

/** Gets the same value for each name. */
const all = (names: object, value: string) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, value]));

describe.each(CLIENTS)('%s', (_name, create) => {
  /** The verdicts of first visitors on some files. */
  const verdicts = async (files: Readonly<Record<string, Files>>, options: object = {}) => {
    const named = Object.entries(files).map(async ([name, visited]) => [
      name,
      await verdictOf(create, registry, { files: visited, ...options }),
    ]);
    return Object.fromEntries(await Promise.all(named));
  };
  /** The verdicts on altered proofs of a publication. */
  const proofs = (files: Files, changed: Readonly<Record<string, string | Uint8Array | undefined>>) =>
    verdicts(
      Object.fromEntries(
        Object.entries(changed).map(([name, content]) => [name, altered(files, PROOF, content)]),
      ),
    );

  it('refuses a source that does not prove that its publication is logged', async () => {
    const older = await registry.publish();
    registry.log.appendOther(5);
    const files = await registry.publish();
    const proof = String(files.get(PROOF));
    const lines = proof.split('\n');
    const without = (at: number) => lines.toSpliced(at, 1).join('\n');
    const padded = (size: number) => Buffer.concat([Buffer.from(proof)], size);
    const changed = {
      'no proof': undefined,
      'an empty proof': '',
      'the proof of another publication': older.get(PROOF),
      'another format': proof.replace('@v1', '@v2'),
      'another index': proof.replace(/^index \d+/m, 'index 5'),
      'an index beyond the log': proof.replace(/^index \d+/m, 'index 7'),
      'an index with a zero before it': proof.replace(/^index /m, 'index 0'),
      'no index': without(1),
      'one hash less': without(2),
      'one hash twice': lines.toSpliced(2, 0, lines[2] as string).join('\n'),
      'another hash': lines.with(2, Buffer.alloc(32).toString('base64')).join('\n'),
      'a hash of 31 bytes': lines.with(2, Buffer.alloc(31).toString('base64')).join('\n'),
      'another size': proof.replace(`${ORIGIN}\n7\n`, `${ORIGIN}\n8\n`),
      'lines that end with CR LF': proof.replaceAll('\n', '\r\n'),
      'no last newline': proof.slice(0, -1),
      'a byte order mark': `\uFEFF${proof}`,
      'bytes that are not UTF-8': Buffer.concat([Buffer.from(proof), Buffer.from([0xff])]),
      'a page': '<!doctype html>',
      'a proof of 64 KiB': padded(64 * 1024),
    };
    expect(await proofs(files, changed)).toEqual(all(changed, NOT_LOGGED));
    expect(await proofs(files, { larger: padded(64 * 1024 + 1) })).toEqual({ larger: NOT_LOGGED });
  });

  it('accepts a proof with the member extra and with signatures by unknown keys', async () => {
    const files = await registry.publish();
    const proof = String(files.get(PROOF));
    const stranger = noteSigner('stranger.example', 'log');
    const unknown = (count: number) =>
      Array.from({ length: count }, () => proof.trimEnd().split('\n').at(-1))
        .map((line) => `${line?.replace(/— \S+/, `— ${stranger.key.name}`)}\n`)
        .join('');
    const changed = {
      extra: proof.replace('\nindex', '\nextra AAAA\nindex'),
      'strangers, up to 100 signatures': proof + unknown(96),
    };
    expect(await proofs(files, changed)).toEqual(all(changed, ACCEPTED));
    expect(await proofs(files, { 'more signatures': proof + unknown(97) })).toEqual({
      'more signatures': NOT_LOGGED,
    });
  });

  it('refuses a head that the key of the log has not signed', async () => {
    const files = await registry.publish();
    const { log, index } = registry;
    const cosigned = registry.cosigning(3);
    const other = noteSigner(ORIGIN, 'log');
    const proof = String(files.get(PROOF));
    const own = proof.split('\n').find((line) => line.startsWith(`— ${ORIGIN} `)) as string;
    const forged = `${own.slice(0, -8)}${own.at(-8) === 'A' ? 'B' : 'A'}${own.slice(-7)}`;
    const changed = {
      'another key of the same name': await log.proof(index, { signer: other, cosigned }),
      'a key of another log': await log.proof(index, { signer: noteSigner('other/log', 'log'), cosigned }),
      'no signature of the log': proof.replace(`${own}\n`, ''),
      'a forged signature': proof.replace(own, forged),
      'a valid and a forged signature': `${proof}${forged}\n`,
    };
    expect(await proofs(files, changed)).toEqual(all(changed, NOT_LOGGED));
  });

  it('refuses a proof from a log with another origin', async () => {
    const elsewhere = new LoggedRegistry(
      registry.root,
      new TestLog(noteSigner('elsewhere.example/log', 'log', registry.log.signer.pair)),
      registry.witnesses,
    );
    elsewhere.now = registry.now;
    const [own, other] = [await registry.publish(), await elsewhere.publish()];
    const files = {
      'the statement names the log, and the proof is from another': altered(own, PROOF, other.get(PROOF)),
      'the statement names another log': other,
      'the statement names no log': await registry.fork().publish({ claims: { log: undefined } }),
      'the statement names another key': await registry.fork().publish({
        claims: { log: { origin: ORIGIN, vkey: noteSigner(ORIGIN, 'log').vkey } },
      }),
    };
    expect(await verdicts(files)).toEqual(all(files, NOT_LOGGED));
  });

  it('refuses a statement whose log is malformed, also without a trust anchor that names the log', async () => {
    const { vkey } = registry.log.signer;
    const logs = {
      'no object': ORIGIN,
      'no vkey': { origin: ORIGIN },
      'no origin': { vkey },
      'a URL as the origin': { origin: `https://${ORIGIN}`, vkey },
      'a key of another name': { origin: ORIGIN, vkey: noteSigner('other/log', 'log').vkey },
      'the key of a witness': { origin: ORIGIN, vkey: noteSigner(ORIGIN, 'witness').vkey },
    };
    const files = Object.fromEntries(
      await Promise.all(
        Object.entries(logs).map(async ([name, log]) => [
          name,
          await registry.fork().publish({ claims: { log } }),
        ]),
      ),
    );
    const trustAnchor = { root: registry.root.rootKey.jwk };
    expect(await verdicts(files)).toEqual(all(logs, 'ERR_PUBLICATION_INVALID'));
    expect(await verdicts(files, { trustAnchor })).toEqual(all(logs, 'ERR_PUBLICATION_INVALID'));
  });

  it('needs a publication statement if the trust anchor names a log', async () => {
    const files = await registry.publish();
    for (const quorum of [undefined, 2]) {
      const trustAnchor = registry.anchor(quorum);
      const without = { files: altered(files, 'publication.jwt', undefined), trustAnchor };
      expect(await verdictOf(create, registry, without)).toBe('ERR_STATEMENTS_INVALID');
    }
  });

  it('does not read the log if the trust anchor does not name it', async () => {
    const files = altered(await registry.publish(), PROOF, undefined);
    const trustAnchor = { root: registry.root.rootKey.jwk };
    const reader = await logReader(create, registry, { trustAnchor });
    expect(await reader.read(files)).toBe(ACCEPTED);
    expect(reader.host.log.filter((line) => line.startsWith('log/'))).toEqual([]);
    expect(reader.client.status()).toMatchObject({ cosignedBy: [] });
    expect([reader.client.status().logSize, reader.client.status().cosignedAt]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['a quorum', 2],
    ['the log', undefined],
    ['neither', null],
  ])(
    'with %s in its trust anchor, refuses a log that is withdrawn or renamed, under the same root key and under the next',
    async (_trust, quorum) => {
      const root = registry.root.rootKey.jwk;
      const trustAnchor = quorum === null ? { root } : registry.anchor(quorum);
      registry.now = Date.parse(at(-600));
      const reader = await logReader(create, registry, { trustAnchor });
      expect(await reader.read(await registry.publish())).toBe(ACCEPTED);
      const next = await testKey();
      const steps = [await rotationStep(registry.root, next)];
      // Whoever requires the log finds that the publication is not in it, and does not compare it any more.
      const refusal = quorum === null ? 'ERR_PUBLICATION_ROLLED_BACK' : NOT_LOGGED;
      const other = { origin: 'other/log', vkey: noteSigner('other/log', 'log').vkey };
      for (const log of [undefined, other]) {
        const withdrawn = await registry.fork().publish({ claims: { log } });
        expect(await reader.read(withdrawn)).toBe(refusal);
      }
      expect(await reader.read(await registry.publish())).toBe(ACCEPTED);
      for (const log of [undefined, other]) {
        const rotated = await registry.fork(undefined, next).publish({ claims: { log } });
        expect(await reader.read(withRotation(rotated, steps))).toBe(refusal);
      }
      const rotated = await registry.fork(undefined, next).publish();
      expect(await reader.read(withRotation(rotated, steps))).toBe(ACCEPTED);
    },
  );
});
