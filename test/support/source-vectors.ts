import { type Files, sha256, type TestKey } from './publication.js';
import { claimsAbout, signedJwt } from './summed-registry.js';

/** What a source has, what a client has accepted from it before, and the error code of the client, or null. */
export interface SourceVector {
  readonly name: string;
  /** The clock of the client, in seconds since 1970. */
  readonly now: number;
  readonly accepted: Record<string, string> | null;
  readonly files: Record<string, string>;
  readonly code: string | null;
}

/**
 * Creates the vectors of a publication statement with a checkpoint, and with what a client remembers
 * (rule statement-checks).
 */
export function sourceVectors(key: TestKey, files: Files, now: number): SourceVector[] {
  const claims = { ...claimsAbout(files), sequence: 5 };
  const [earlier, later] = ['2026-11-21T07:59:59Z', '2026-11-21T08:00:01Z'];
  const other = sha256(Buffer.from('another list'));
  const publication = (more: object = {}, header: object = {}) => ({
    'publication.jwt': signedJwt(key, { ...claims, ...more }, header),
  });
  const { updated_at, sha256: hash, size, sequence } = claims;
  const listed = { updated_at, sha256: hash, size, iat: now - 60, exp: now + 3600 };
  const checkpoint = (more: object = { sequence }) => ({
    'checkpoint.jwt': signedJwt(
      key,
      { ...listed, tree_sha256: '0'.repeat(64), ...more },
      { typ: 'registry-checkpoint+jwt' },
    ),
  });
  const both = (statement: object, checked?: object) => ({
    ...publication(statement),
    ...checkpoint(checked),
  });
  const [missing, withdrawn] = ['ERR_PUBLICATION_MISSING', 'ERR_CHECKPOINT_MISSING'];
  const [mismatch, rolledBack] = ['ERR_CHECKPOINT_MISMATCH', 'ERR_PUBLICATION_ROLLED_BACK'];
  const invalid = 'ERR_CHECKPOINT_INVALID';
  const ids = (count: number) =>
    Array.from({ length: count }, (_, index) => `issuer-${String(index).padStart(2, '0')}`);
  const older = { updated_at: earlier, sha256: other };
  const newer = { updated_at: later, sha256: other };
  const fits: [name: string, files: Record<string, string>, code: string | null][] = [
    ['no checkpoint', publication(), null],
    ['a checkpoint of the same list and sequence', both({}), null],
    ['a checkpoint of the same list with a lower sequence', both({}, { sequence: 4 }), null],
    ['a checkpoint of the same list without a sequence', both({}, {}), null],
    ['a checkpoint of the same list with a higher sequence', both({}, { sequence: 6 }), mismatch],
    ['a checkpoint with another size', both({}, { sequence, size: size + 1 }), mismatch],
    ['a checkpoint of an older list with a lower sequence', both({}, { ...older, sequence: 4 }), null],
    ['a checkpoint of an older list without a sequence', both({}, older), null],
    ['sequence 0, and a checkpoint of an older list without a sequence', both({ sequence: 0 }, older), null],
    ['a checkpoint of an older list with the same sequence', both({}, { ...older, sequence }), mismatch],
    ['a checkpoint of an older list with a higher sequence', both({}, { ...older, sequence: 6 }), mismatch],
    ['a checkpoint of a newer list', both({}, { ...newer, sequence: 4 }), mismatch],
    ['a checkpoint of another list with the same time', both({}, { sha256: other, sequence: 4 }), mismatch],
    ['a checkpoint with a fraction as its sequence', both({}, { sequence: 4.5 }), invalid],
    ['a checkpoint that holds issuers', both({}, { sequence, hold: ['a-b', 'a.b', 'a0', 'a_b'] }), null],
    ['a checkpoint that holds 64 issuers', both({}, { sequence, hold: ids(64) }), null],
    ['a checkpoint that holds 65 issuers', both({}, { sequence, hold: ids(65) }), invalid],
    ['a checkpoint with an empty hold', both({}, { sequence, hold: [] }), invalid],
    ['a checkpoint with a hold out of order', both({}, { sequence, hold: ['a_b', 'a0'] }), invalid],
    ['a checkpoint that holds an issuer twice', both({}, { sequence, hold: ['a', 'a'] }), invalid],
    ['a checkpoint that holds an id that is not valid', both({}, { sequence, hold: ['A'] }), invalid],
    ['a promised checkpoint', both({ checkpoint: true }), null],
    ['a promised checkpoint is missing', publication({ checkpoint: true }), withdrawn],
    ['a checkpoint with a sequence, and no statement', checkpoint(), missing],
    ['neither statement nor checkpoint', {}, missing],
  ];
  const promised = both({ checkpoint: true });
  const next = { sequence: 6, checkpoint: true };
  const holding = both({}, { sequence, hold: ['alpha'] });
  const remembered: [...(typeof fits)[number], accepted: Record<string, string>][] = [
    ['the same statement', publication(), null, publication()],
    ['the same payload with another header', publication({}, { alg: 'Ed25519' }), null, publication()],
    ['a higher sequence', publication({ sequence: 7 }), null, publication()],
    ['a lower sequence', publication({ sequence: 4 }), rolledBack, publication()],
    ['the same sequence with another payload', publication({ previous: other }), rolledBack, publication()],
    ['a newer list', publication({ ...newer, sequence: 6 }), null, publication()],
    ['an older list', publication({ ...older, sequence: 6 }), 'ERR_LIST_ROLLED_BACK', publication()],
    [
      'another list with the same time',
      publication({ sha256: other, sequence: 6 }),
      'ERR_LIST_ROLLED_BACK',
      publication(),
    ],
    [
      'an older list with a lower sequence',
      publication({ ...older, sequence: 4 }),
      rolledBack,
      publication(),
    ],
    ['no statement any more', {}, missing, publication()],
    ['no checkpoint any more', publication({ sequence: 6 }), withdrawn, both({})],
    ['neither of the two any more', {}, withdrawn, promised],
    ['no statement any more, but the checkpoint', checkpoint(), missing, promised],
    [
      'a new list under the same checkpoint',
      { ...promised, ...publication({ ...newer, ...next }) },
      null,
      promised,
    ],
    ['checkpoints are withdrawn', both({ sequence: 6 }), rolledBack, promised],
    [
      'an older checkpoint of the same list',
      both({ checkpoint: true }, { sequence, iat: now - 61 }),
      'ERR_CHECKPOINT_ROLLED_BACK',
      promised,
    ],
    [
      'an older checkpoint of a newer list',
      both({ ...newer, sequence: 6 }, { ...newer, sequence: 6, iat: now - 61 }),
      'ERR_CHECKPOINT_ROLLED_BACK',
      both({}),
    ],
    ['a later checkpoint that ends a hold', both({}, { sequence, iat: now - 59 }), null, holding],
    ['a checkpoint of the same second that ends a hold', both({}), 'ERR_CHECKPOINT_ROLLED_BACK', holding],
    [
      'a checkpoint of the same second that holds more issuers',
      both({}, { sequence, hold: ['alpha', 'beta'] }),
      null,
      holding,
    ],
    [
      'a checkpoint of an older list',
      both({ checkpoint: true }, { ...older, sequence: 4 }),
      'ERR_LIST_ROLLED_BACK',
      promised,
    ],
    [
      'an older checkpoint and a lower sequence',
      both({ sequence: 4 }, { sequence, iat: now - 61 }),
      'ERR_CHECKPOINT_ROLLED_BACK',
      promised,
    ],
    ['a lower sequence than those of both', both({ sequence: 4 }, { sequence: 6 }), rolledBack, both({})],
  ];
  return [
    ...fits.map(([name, served, code]) => ({ name, now, accepted: null, files: served, code })),
    ...remembered.map(([name, served, code, accepted]) => ({ name, now, accepted, files: served, code })),
  ];
}
