import { openRegistry, type StoredPublication } from '@passport-registry/verifier';
import {
  LIMITS,
  logTrustOf,
  pinnedMemory,
  readMemory,
  verifyPublication,
  verifyStatements,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../support/log-clients.js';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { type Files, issuer, publish, testKey } from '../../support/publication.js';
import { copyIn } from '../../support/sources.js';
import { together } from '../../support/statements.js';

const root = await testKey();

const source = (files: Files) => copyIn(files);
const conditions = () => ({
  clock: { now: Date.now(), tolerance: 300_000 },
  expiry: true,
  log: undefined,
});
/** What a look-up stores of a publication. */
const stored = (files: Files): StoredPublication => ({
  version: 1,
  statements: String(together(files).get('statements.json')),
});

describe('what was stored', () => {
  it('is refused if its log is not the accepted one', async () => {
    const registry = new LoggedRegistry(root);
    await registry.publish();
    const fork = registry.fork();
    const logged = { ...conditions(), log: logTrustOf(registry.anchor(2)) };
    const files = await registry.publish();
    const pinned = pinnedMemory([root.rootKey]);
    const memory = { ...pinned, accepted: await verifyStatements(source(files), pinned, logged) };
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
    const chosen = async (kept: number, shown: number) => {
      const files = await cosigned(kept);
      const memory = await readMemory(stored(files), pinnedMemory([root.rootKey]), logged);
      expect(memory.accepted?.logged?.witnessedAt).toBe(kept);
      return (await verifyStatements(source(await cosigned(shown)), memory, logged)).logged?.witnessedAt;
    };
    expect(await chosen(now + 300 * 24 * 3_600_000, now)).toBe(now);
    expect(await chosen(now + 60_000, now)).toBe(now + 60_000);
    expect(await chosen(now, now + 60_000)).toBe(now + 60_000);
  });
});

describe('what one source shows', () => {
  it('is refused with a code if no root key is known', async () => {
    const files = source(publish(root, [issuer('a')]));
    const memory = { chains: [], accepted: undefined };
    expect(await codeOf(verifyStatements(files, memory, conditions()))).toBe('ERR_ROOT_KEY_INVALID');
  });

  it('is read once, whichever of two pinned keys has signed it', async () => {
    const files = publish(root, [issuer('a')]);
    const whole = together(files);
    const paths: string[] = [];
    const counting = {
      get: async (path: string) => {
        paths.push(path);
        return whole.get(path);
      },
    };
    const pinned = pinnedMemory([(await testKey()).rootKey, root.rootKey]);
    await verifyPublication(counting, pinned, conditions());
    expect(paths.sort()).toEqual(['issuers.json', 'statements.json']);
  });

  it('has statements within their limit', async () => {
    const statements = String(together(publish(root, [issuer('a')])).get('statements.json'));
    const sized = (bytes: number) =>
      publish(root, [issuer('a')]).set('statements.json', Buffer.from(statements.padEnd(bytes)));
    const options = { rootKey: root.rootKey.jwk, maxAge: 3600 };
    expect(await codeOf(openRegistry(source(sized(LIMITS.statements)), options))).toBe('accepted');
    expect(await codeOf(openRegistry(source(sized(LIMITS.statements + 1)), options))).toBe(
      'ERR_SOURCE_TOO_LARGE',
    );
  });
});
