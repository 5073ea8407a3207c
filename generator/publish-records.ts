import type { BuildOptions } from './build.js';
import type { PublishedFacts } from './build-cache.js';
import type { BuildMemory } from './build-memory.js';
import type { BuildRecords } from './build-records.js';
import type { KnownPublication } from './known-publication.js';
import { atTime, type ListBytes, listBytes } from './list.js';
import type { OutputFolder } from './output-folder.js';
import { type BuildReport, publish, type SignedListBytes } from './publish.js';
import type { PublishedTree } from './published.js';
import { type Signer, signList } from './sign.js';
import { nextUpdatedAt } from './updated-at.js';

/** Records that have been checked. */
export interface RecordsToPublish extends BuildRecords {
  /** What is known of what is published. */
  readonly known: KnownPublication | undefined;
}

/** Publishes the list that records make, and remembers it for the next build. */
export async function publishRecords(
  { records, sources, known }: RecordsToPublish,
  memory: BuildMemory,
  signer: Signer,
  place: OutputFolder,
  options: BuildOptions,
): Promise<BuildReport> {
  const makeList = (published: PublishedTree | undefined) => signedList(records, published, signer, options);
  const publication = { makeList, signer, warnings: sources.warnings, known };
  const { report, stamps } = await publish(publication, place, options);
  try {
    memory.save(place.staging, factsOf(report, options), sources, stamps);
  } catch (cause) {
    // The tree is published; all that is lost is time.
    const note = `Nothing could be remembered for the next build: ${(cause as Error).message}.`;
    return { ...report, notes: [...report.notes, note] };
  }
  options.onStage?.('cache');
  return report;
}

function factsOf(report: BuildReport, options: BuildOptions): PublishedFacts {
  const { updatedAt, issuers, sha256, rootKey, development, bytes, written, unchanged } = report;
  const precompress = options.precompress === true;
  return { updatedAt, issuers, sha256, rootKey, development, bytes, precompress, files: written + unchanged };
}

/** The list to publish: the published one as long as it says the same and is rightly signed, else a new one. */
async function signedList(
  records: ReadonlyMap<string, Uint8Array>,
  published: PublishedTree | undefined,
  signer: Signer,
  { updatedAt: requested, renew }: BuildOptions,
): Promise<SignedListBytes> {
  const sign = async (list: ListBytes) => ({
    list,
    signature: await signList(list.list, signer),
    kept: false,
  });
  const previous = published?.updatedAt;
  const later = () => nextUpdatedAt(requested, previous, Date.now());
  if (published?.list === undefined || previous === undefined) return sign(listBytes(records, later()));
  const list = listBytes(records, previous);
  const same = Buffer.compare(list.list, published.list) === 0;
  if (same && published.rootKey?.thumbprint === signer.rootKey.thumbprint) {
    const keep = !renew || requested === previous;
    if (keep && published.signed && published.signature !== undefined) {
      return { list, signature: published.signature.trim(), kept: true };
    }
    // A build that was killed between signature and list: asked for the same time, it makes the same bytes.
    if (requested === previous) return sign(list);
  }
  return sign(atTime(list, later()));
}
