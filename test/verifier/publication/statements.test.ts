import {
  createRegistryClient,
  type Issuer,
  type NoUsableSource,
  type RegistryClient,
} from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import {
  checkpoint,
  type Files,
  issuer,
  publish,
  stated,
  testKey,
  withRotation,
} from '../../support/publication.js';
import { shortenRetries } from '../../support/short-retries.js';
import { together } from '../../support/statements.js';

shortenRetries();

const BASE = 'https://registry.example/';
const [FIRST, SECOND] = ['2026-11-21T08:00:00Z', '2026-11-21T09:00:00Z'] as const;
/** 2026-11-21T08:00:00Z. */
const MADE = 1795248000;
const HOUR = 3600;
const NOW = MADE + 3 * HOUR;

const root = await testKey();

/** A publication with a checkpoint by its root key. The sequence is the hour of the list, unless claims say otherwise. */
function publication(updatedAt: string, claims: object = {}, issuers?: Issuer[]): Files {
  const sequence = Number(updatedAt.slice(11, 13));
  return publish(root, issuers ?? [issuer(`at-${sequence}`)], {
    updatedAt,
    claims: { sequence, ...claims },
  });
}

/** Replaces the checkpoint by one for these files, or for others. */
async function sealed(files: Files, claims: object = {}, named = files): Promise<Files> {
  const times = { iat: MADE, exp: MADE + 700 * HOUR };
  const jwt = await checkpoint(named, root, { ...times, ...claims });
  return new Map(files).set('checkpoint.jwt', Buffer.from(jwt));
}

const without = (files: Files, ...paths: string[]): Files =>
  new Map([...files].filter(([path]) => !paths.includes(path)));

/** A client whose source serves what the test says. Each step returns `accepted`, or the error code. */
function reader() {
  let files: Files = new Map();
  const asked: string[] = [];
  const client: RegistryClient = createRegistryClient({
    sources: [BASE],
    rootKey: root.rootKey.jwk,
    now: () => NOW * 1000,
    timeout: 10,
    fetch: async (input) => {
      const path = String(input).slice(BASE.length);
      asked.push(path);
      const bytes = together(files).get(path.replace(/\?.*/, ''));
      return bytes === undefined ? new Response(null, { status: 404 }) : new Response(new Uint8Array(bytes));
    },
  });
  return {
    client,
    /** The paths that the client has asked for since the last call. */
    asked: () => asked.splice(0),
    read: async (served: Files) => {
      files = served;
      try {
        await client.refresh();
        return 'accepted';
      } catch (error) {
        return (error as NoUsableSource).errors?.[BASE]?.code ?? (error as Error).message;
      }
    },
  };
}

/** The verdicts on publications that a client reads one after the other. */
async function verdicts(...served: readonly Files[]): Promise<string[]> {
  const { client, read } = reader();
  const all: string[] = [];
  for (const files of served) all.push(await read(files));
  client.close();
  return all;
}

describe('a client that has accepted a publication', () => {
  it('refuses all of these by the statements alone, and asks for no list', async () => {
    const [first, second] = [publication(FIRST), publication(SECOND)];
    const { client, read, asked } = reader();
    await read(second);
    asked();
    for (const files of [
      first,
      without(second, 'publication.jwt'),
      stated(first, root, { sequence: 10 }),
      publication(SECOND, { sequence: 10 }, [issuer('other')]),
      await sealed(second, { iat: MADE }),
    ]) {
      expect(await read(files)).toMatch(/^ERR_/);
      expect(asked().filter((path) => !path.startsWith('statements.json'))).toEqual([]);
    }
    client.close();
  });
});

describe('which error code wins among the statements', () => {
  it('is that of the order in the protocol (rule statement-checks)', async () => {
    const held = await sealed(publication(SECOND), { iat: MADE + HOUR, hold: ['a'] });
    // From the last check to the first. Each publication has a fault more than the one before.
    const older = await sealed(publication(FIRST, { sequence: 12 }), { iat: MADE + 2 * HOUR });
    expect(await verdicts(held, older)).toEqual(['accepted', 'ERR_LIST_ROLLED_BACK']);
    const released = await sealed(older, { iat: MADE });
    expect(await verdicts(held, released)).toEqual(['accepted', 'ERR_CHECKPOINT_ROLLED_BACK']);
    const lower = await sealed(publication(FIRST, { sequence: 1 }), { iat: MADE });
    expect(await verdicts(held, lower)).toEqual(['accepted', 'ERR_PUBLICATION_ROLLED_BACK']);
    const mismatch = await sealed(lower, { iat: MADE }, older);
    expect(await verdicts(held, mismatch)).toEqual(['accepted', 'ERR_CHECKPOINT_MISMATCH']);
    const expired = await sealed(lower, { iat: MADE, exp: MADE + 60 }, older);
    expect(await verdicts(held, expired)).toEqual(['accepted', 'ERR_CHECKPOINT_EXPIRED']);
    const early = await sealed(lower, { iat: NOW + HOUR, exp: MADE + 60 }, older);
    expect(await verdicts(held, early)).toEqual(['accepted', 'ERR_NOT_YET_VALID']);
    const damaged = new Map(early).set('checkpoint.jwt', Buffer.from('no JWT'));
    expect(await verdicts(held, damaged)).toEqual(['accepted', 'ERR_CHECKPOINT_INVALID']);
    const invalid = new Map(damaged).set('publication.jwt', Buffer.from('no JWT'));
    expect(await verdicts(held, invalid)).toEqual(['accepted', 'ERR_PUBLICATION_INVALID']);
    const unrotated = withRotation(invalid, ['no JWT']);
    expect(await verdicts(held, unrotated)).toEqual(['accepted', 'ERR_ROTATION_INVALID']);
    expect(await verdicts(held, without(unrotated, 'checkpoint.jwt'))).toEqual([
      ...['accepted', 'ERR_STATEMENTS_INVALID'],
    ]);
  });
});
