import type { RegistryError } from '../core/errors.js';
import { limitOf } from '../core/limits.js';
import type { Head, SourceTrust } from '../core/publication/statements.js';
import { forkOf, type KnownRoots, showChains } from '../core/statements/known-roots.js';
import { currentRoots, type RootChain, walkChains } from '../core/statements/root-chain.js';
import { untilAborted } from '../http/deadline.js';
import { askAgain } from './ask-again.js';
import { type Asking, asRegistryError } from './ask-sources.js';
import type { HttpFiles, HttpSource } from './http-files.js';
import type { HoldingTrust, PublicationReader } from './publication-reader.js';

/** How many times to retry a source that may be in the middle of a publication (rule retries). */
const RETRIES = 2;
/** A publication takes milliseconds. A cache that still has an old file takes longer. */
const RETRY_DELAY_MS = 200;
/** How much larger than the held list a file may be for a retry, in bytes. A retry downloads the list again. */
const MAX_RETRIED_GROWTH = 8 * 1024 * 1024;
/** Errors that a source can cause in the middle of a publication. A retry may resolve them (rule retries). */
const TRANSIENT: readonly string[] = [
  'ERR_SIGNATURE_INVALID',
  'ERR_SIGNATURE_MALFORMED',
  'ERR_CHECKPOINT_MISMATCH',
  'ERR_DELEGATION_INVALID',
  'ERR_CHECKPOINT_INVALID',
  'ERR_PUBLICATION_INVALID',
  'ERR_PUBLICATION_MISMATCH',
  'ERR_NOT_LOGGED',
  'ERR_LOG_INCONSISTENT',
];

/** What a client knows of the root keys. It changes while sources are read. */
export interface RootsOfClient {
  roots: KnownRoots;
}

/** The inputs for reading a source. */
export interface SourceReading<H extends Head> extends Asking {
  readonly source: HttpSource;
  readonly known: RootsOfClient;
  readonly reader: PublicationReader<H>;
  readonly trust: Omit<HoldingTrust<H>, 'roots'>;
  /** Resolves once the rotation of the source has been processed. Rejects if the client must refuse the source. */
  readonly rotation: Promise<void>;
}

/**
 * Reads a source: first the rotation, then the other files under the resulting root keys. If the
 * source may be in the middle of a publication, the function retries within the deadline.
 *
 * @throws {@link RegistryError} with the reason to refuse the source
 */
export async function readSource<H extends Head>(reading: SourceReading<H>): Promise<H> {
  const { source, signal, onRetry, reader } = reading;
  const { held } = reading.trust;
  let failure: RegistryError | undefined;
  const maxRetriedBytes = MAX_RETRIED_GROWTH + (held === undefined ? 0 : reader.listSize(held));
  for (let attempt = 0; ; attempt++) {
    const files = source.files(signal);
    try {
      return await untilAborted(readOnce(files, reading, attempt), signal);
    } catch (thrown) {
      source.forget();
      const error = asRegistryError(thrown);
      // The first error is more informative than the timeout of a retry.
      failure = failure !== undefined && signal.aborted ? failure : error;
      const mayRetry =
        attempt < RETRIES && TRANSIENT.includes(error.code) && files.largest <= maxRetriedBytes;
      if (signal.aborted || !mayRetry) throw failure;
    }
    onRetry(failure);
    const delay = RETRY_DELAY_MS * (attempt + 1) * (0.5 + Math.random());
    await untilAborted(new Promise((resolve) => setTimeout(resolve, delay)), signal).catch(() => {
      throw failure;
    });
  }
}

async function readOnce<H extends Head>(
  files: HttpFiles,
  { known, reader, trust, rotation }: SourceReading<H>,
  attempt: number,
): Promise<H> {
  try {
    const asked = askAgain(files);
    files.request(reader.pathsReadFirst(trust));
    await (attempt === 0 ? rotation : readRotationOf(files, known, trust));
    let chains = chainsOf(known);
    let head = await reader.read(asked, { ...trust, roots: currentRoots(chains) });
    // Another source may have shown a new rotation in the meantime.
    while (chains !== chainsOf(known)) {
      chains = chainsOf(known);
      head = await reader.read(asked, { ...trust, roots: currentRoots(chains) });
    }
    return head;
  } finally {
    files.discard();
  }
}

/** Reads and processes the rotation of a source. */
export async function readRotationOf(
  files: HttpFiles,
  known: RootsOfClient,
  { clock }: Pick<SourceTrust, 'clock'>,
): Promise<void> {
  const path = 'keys/rotation.json';
  const rotation = await files.get(path, limitOf(path));
  const shown = await walkChains(known.roots.bound, rotation, clock);
  known.roots = showChains(known.roots, shown);
}

/** @throws `ERR_ROTATION_FORK` */
function chainsOf({ roots }: RootsOfClient): readonly RootChain[] {
  const fork = forkOf(roots);
  if (fork !== undefined) throw fork;
  return roots.longest;
}
