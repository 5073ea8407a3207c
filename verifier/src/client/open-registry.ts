import { isObject } from '../core/bytes/checks.js';
import { CLOCK_TOLERANCE_MS, clockNote } from '../core/bytes/clock.js';
import { RegistryError, RegistryStale } from '../core/errors.js';
import { checkRootKeys, importCheckedRootKeys } from '../core/keys/root-key.js';
import { assertOptions, FUNCTION, milliseconds, required, SECONDS } from '../core/options.js';
import type { RegistryFiles } from '../core/publication/registry-files.js';
import { type StoredPublication, storedFiles } from '../core/publication/stored-publication.js';
import { pinnedMemory, verifyPublication } from '../core/publication/verify-publication.js';
import {
  type PinnedOptions,
  type PinnedRootKey,
  type PinnedTrustAnchor,
  pinnedBy,
  withTrustAnchor,
} from '../options/pinned-trust.js';
import { createRegistryView, type Registry, withFreshnessCheck } from './registry.js';

/** Options of {@link openRegistry} with a root key. */
export interface OpenOptions extends PinnedRootKey, OpenSettings {}

/** Options of {@link openRegistry} with a trust anchor, whose sources are not used. */
export interface AnchoredOpenOptions extends PinnedTrustAnchor, OpenSettings {}

/** Options of {@link openRegistry} besides the trust. */
export interface OpenSettings {
  /**
   * The maximum age of the copy in seconds, counted from its checkpoint. If the trust anchor has a quorum, the age also
   * counts from the cosignatures of the log.
   * This limit replaces the expiry of the checkpoint, which is too short for an offline copy. Required: there is no
   * default.
   */
  readonly maxAge: number;
  /** The maximum difference between clocks, in seconds. Default: 300. */
  readonly clockTolerance?: number;
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Opens a copy of a registry without a network. The function makes the same checks as a client. It also enforces an
 * explicit maximum age, which applies while the copy is in use. The checkpoint dates the copy. An online key cannot
 * date a copy after the end of its time.
 *
 * @param copy - the files of the copy, or a bundle that a store has saved. The `openRegistry` of
 *   `@passport-registry/verifier/node` also opens folders and the files of `fileStore`
 * @throws all errors of a source; {@link OptionsInvalid}; `ERR_BUNDLE_INVALID`; `ERR_LIST_EXPIRED` if the copy is too
 *   old
 *
 * @example
 * ```ts
 * import { openRegistry } from '@passport-registry/verifier';
 *
 * const names = ['issuers.json', 'statements.json'];
 * const bundle = new Map<string, Uint8Array>();
 * for (const name of names) {
 *   const response = await fetch(`https://registry.example/${name}`);
 *   bundle.set(name, new Uint8Array(await response.arrayBuffer()));
 * }
 *
 * const files = { get: async (path: string) => bundle.get(path) };
 * const registry = await openRegistry(files, { rootKey: pinnedJwk, maxAge: 7 * 24 * 60 * 60 });
 * console.log(registry.resolve('alpha')?.tier); // certified
 * ```
 */
export async function openRegistry(
  copy: RegistryFiles | StoredPublication,
  options: OpenOptions | AnchoredOpenOptions,
): Promise<Registry> {
  assertOptions<Omit<PinnedOptions, 'sources'> & OpenSettings>(
    options,
    {
      ...pinnedBy(options),
      maxAge: required(SECONDS),
      clockTolerance: SECONDS,
      now: FUNCTION,
    },
    'openRegistry',
  );
  const pinned = withTrustAnchor(options, 'openRegistry');
  const { now = Date.now } = options;
  const maxAge = options.maxAge * 1000;
  const tolerance = milliseconds(options.clockTolerance, CLOCK_TOLERANCE_MS);
  const clock = { now: now(), tolerance };
  const memory = pinnedMemory(await importCheckedRootKeys(checkRootKeys(pinned)));
  const publication = await verifyPublication(filesOf(copy), memory, {
    clock,
    expiry: false,
    log: pinned.log,
  });
  const { checkpoint, logged } = publication;
  const datedAt = checkpoint.issuedAt;
  const seenAt = Math.min(datedAt, logged?.witnessedAt ?? datedAt);
  const freshUntil = seenAt + maxAge + tolerance;
  if (!(now() <= freshUntil)) {
    throw new RegistryError(
      'ERR_LIST_EXPIRED',
      `the copy is dated ${new Date(seenAt).toISOString()}: it is older than the maximum age ${clockNote(now())}`,
    );
  }
  const { issuers } = publication;
  if (issuers === undefined) throw new TypeError('without a current list, the whole list is read');
  const byId = new Map(issuers.map((issuer) => [issuer.issuer_id, issuer]));
  const registry = createRegistryView({ issuers, get: (id) => byId.get(id) }, publication, now);
  return withFreshnessCheck(() => {
    if (!(now() <= freshUntil)) throw new RegistryStale(new Date(freshUntil));
    return registry;
  });
}

function filesOf(copy: unknown): RegistryFiles {
  if (isObject(copy) && typeof copy['get'] === 'function') return copy as unknown as RegistryFiles;
  if (isObject(copy)) return storedFiles(copy as unknown as StoredPublication);
  throw new RegistryError(
    'ERR_BUNDLE_INVALID',
    'the copy is neither files nor a stored publication; to open a path, use openRegistry of @passport-registry/verifier/node',
  );
}
