import { instantOf } from './date-time.js';
import { ListExpired, NotYetValid, RegistryStale } from './errors.js';
import type { RootJwk } from './generated/schemas.js';
import { guarded } from './guarded.js';
import { type RegistryFiles, readPublication } from './publication.js';
import { indexed, type Registry } from './registry.js';
import { importRootKeys } from './root-key.js';
import { type StoredPublication, storedFiles } from './store.js';

/** How a copy of a registry is to be judged. */
export interface OpenOptions {
  /** The pinned root key, or several during a rotation. */
  readonly rootKey: RootJwk | readonly RootJwk[];
  /**
   * How old the copy may be, in seconds: counted from its checkpoint, or where it has none from its `updated_at`. It
   * takes the place of the checkpoint's own expiry, which no copy away from the network could keep. There is no default.
   */
  readonly maxAge: number;
  /** Whether a copy without a checkpoint is refused. Default: false. */
  readonly requireCheckpoint?: boolean;
  /** How much clocks may differ, in seconds. Default: 300. */
  readonly clockTolerance?: number;
  /** The clock, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/**
 * Opens a copy of a registry without a network: every check of a live one, and an explicit limit to its age, which goes
 * on counting while the copy is in use.
 *
 * @param copy - its files, or a bundle: what a store has saved. `@passport-registry/verifier/node` opens folders, too
 * @throws every error of a source; {@link ListExpired} when the copy is too old
 *
 * @example
 * ```ts
 * import { openRegistry } from '@passport-registry/verifier';
 *
 * const names = ['issuers.json', 'issuers.sig'];
 * const texts = names.map(async (name) => [name, await (await fetch(`https://registry.example/${name}`)).text()]);
 * const bundle = new Map(await Promise.all(texts));
 *
 * const files = {
 *   get: async (path) => (bundle.has(path) ? new TextEncoder().encode(bundle.get(path)) : undefined),
 * };
 * const registry = await openRegistry(files, { rootKey: pinnedJwk, maxAge: 7 * 24 * 60 * 60 });
 * console.log(registry.resolve('alpha').tier); // certified
 * ```
 */
export async function openRegistry(
  copy: RegistryFiles | StoredPublication,
  options: OpenOptions,
): Promise<Registry> {
  const { rootKey, maxAge, requireCheckpoint = false, clockTolerance = 300, now = Date.now } = options;
  const tolerance = clockTolerance * 1000;
  const publication = await readPublication('get' in copy ? copy : storedFiles(copy), {
    roots: await importRootKeys(rootKey),
    held: undefined,
    clock: { now: now(), tolerance },
    expiry: false,
    maxAge: maxAge * 1000,
    requireCheckpoint,
  });
  const seenAt = publication.checkpoint?.issuedAt ?? instantOf(publication.registry.updated_at);
  const freshUntil = seenAt + maxAge * 1000 + tolerance;
  if (seenAt > now() + tolerance) throw new NotYetValid('the checkpoint of the copy is yet to come');
  if (!(now() <= freshUntil)) {
    throw new ListExpired(`the copy is of ${new Date(seenAt).toISOString()}, older than the maximum age`);
  }
  const registry = indexed(publication.registry, publication.sha256, now);
  return guarded(() => {
    if (!(now() <= freshUntil)) throw new RegistryStale(new Date(freshUntil));
    return registry;
  });
}
