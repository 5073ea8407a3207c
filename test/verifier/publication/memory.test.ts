import { openRegistry, type StoredPublication } from '@passport-registry/verifier';
import {
  LIMITS,
  logTrustOf,
  pinnedMemory,
  readMemory,
  verifyPublication,
  verifyStatements,
} from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../../support/log-clients.js';
import { LoggedRegistry, PROOF } from '../../support/logged-registry.js';
import {
  type Files,
  issuer,
  publish,
  type TestKey,
  testKey,
  withRotation,
} from '../../support/publication.js';
import { copyIn } from '../../support/sources.js';
import { publishSummed } from '../../support/summed-registry.js';

let root = undefined as unknown as TestKey;
beforeAll(async () => {
  root = await testKey();
});

const source = (files: Files) => copyIn(files);
const _seconds = (ago: number) => Math.floor(Date.now() / 1000) - ago;
const conditions = () => ({
  clock: { now: Date.now(), tolerance: 300_000 },
  expiry: true,
  log: undefined,
});
const textOf = (files: Files, path: string) => String(files.get(path));

describe('what was stored', () => {
  it('is refused if its log is not the accepted one', async () => {
    const registry = new LoggedRegistry(root);
    await registry.publish();
    const fork = registry.fork();
    const logged = { ...conditions(), log: logTrustOf(registry.anchor(2)) };
    const files = await registry.publish();
    const pinned = pinnedMemory([root.rootKey]);
    const memory = { ...pinned, accepted: await verifyStatements(source(files), pinned, logged) };
    const stored = (from: Files): StoredPublication => ({
      ...{ version: 1, publication: textOf(from, 'publication.jwt'), proof: textOf(from, PROOF) },
      checkpoint: textOf(from, 'checkpoint.jwt'),
    });
    const again = await readMemory(stored(files), memory, logged);
    expect(again.accepted?.logged?.size).toBe(registry.log.size);
    Object.assign(fork, { sequence: registry.sequence, now: registry.now });
    const forked = stored(await fork.publish());
    expect(await codeOf(readMemory(forked, memory, logged))).toBe('ERR_LOG_INCONSISTENT');
  });
});

describe('the proof of a log', () => {
  it('that is in the store from the future gives way to one that the quorum has cosigned now', async () => {
    const registry = new LoggedRegistry(root);
    await registry.publish();
    const [now, logged] = [registry.now, { ...conditions(), log: logTrustOf(registry.anchor(2)) }];
    const cosigned = async (time: number) => registry.prove({ cosigned: registry.cosigning(2, time) });
    const chosen = async (stored: number, shown: number) => {
      const files = await cosigned(stored);
      const texts = {
        ...{ publication: textOf(files, 'publication.jwt'), proof: textOf(files, PROOF) },
        checkpoint: textOf(files, 'checkpoint.jwt'),
      };
      const memory = await readMemory({ version: 1, ...texts }, pinnedMemory([root.rootKey]), logged);
      expect(memory.accepted?.logged?.witnessedAt).toBe(stored);
      return (await verifyStatements(source(await cosigned(shown)), memory, logged)).logged?.witnessedAt;
    };
    expect(await chosen(now + 300 * 24 * 3_600_000, now)).toBe(now);
    expect(await chosen(now + 60_000, now)).toBe(now + 60_000);
    expect(await chosen(now, now + 60_000)).toBe(now + 60_000);
  });
});

describe('what one source shows', () => {
  it('is refused with a code if no root key is known', async () => {
    const files = source(await publishSummed(root, [issuer('a')]));
    const memory = { chains: [], accepted: undefined };
    expect(await codeOf(verifyStatements(files, memory, conditions()))).toBe('ERR_ROOT_KEY_INVALID');
  });

  it('is read once, whichever of two pinned keys has signed it', async () => {
    const files = await publishSummed(root, [issuer('a')]);
    const paths: string[] = [];
    const counting = {
      get: async (path: string) => {
        paths.push(path);
        return files.get(path);
      },
    };
    const pinned = pinnedMemory([(await testKey()).rootKey, root.rootKey]);
    await verifyPublication(counting, pinned, conditions());
    expect(paths).toContain('issuers.json');
    expect(paths).toEqual([...new Set(paths)]);
  });

  it('has a rotation within its limit', async () => {
    const files = withRotation(publish(root, [issuer('a')]), []);
    const rotationOf = (bytes: number) => files.set('keys/rotation.json', Buffer.from('[]'.padEnd(bytes)));
    const options = { rootKey: root.rootKey.jwk, maxAge: 3600 };
    expect(await codeOf(openRegistry(source(rotationOf(LIMITS.rotation)), options))).toBe('accepted');
    expect(await codeOf(openRegistry(source(rotationOf(LIMITS.rotation + 1)), options))).toBe(
      'ERR_SOURCE_TOO_LARGE',
    );
  });
});
