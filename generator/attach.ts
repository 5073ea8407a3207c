import {
  canonicalBytes,
  RegistryError,
  type RootKey,
  readList,
  verifySignature,
} from '@passport-registry/verifier';
import { KeyRejected, UsageError } from './errors.js';
import { onOutput } from './output-folder.js';
import { type BuildReport, type PublishOptions, publish } from './publish.js';
import type { PublishedTree } from './published.js';

/**
 * Publishes a list that was signed elsewhere: the other half of `prepareSigning`.
 *
 * @param list - the bytes of issuers.json, as they were signed
 * @param signature - the text of issuers.sig
 * @param rootKey - under which the signature must hold
 * @throws {@link KeyRejected} | {@link UsageError} | {@link TreeRejected} | {@link IoFailed}
 */
export async function attachSignature(
  list: Uint8Array,
  signature: string,
  rootKey: RootKey,
  options: PublishOptions,
): Promise<BuildReport> {
  try {
    await verifySignature(list, signature, rootKey);
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new KeyRejected(`the signature does not hold: ${cause.message}`, { cause });
  }
  const { issuers, updated_at } = readList(list);
  const records = new Map(issuers.map((issuer) => [issuer.issuer_id, canonicalBytes(issuer)]));
  const makeList = async (published: PublishedTree | undefined) => {
    const previous = published?.updatedAt;
    if (previous !== undefined && updated_at <= previous) {
      throw new UsageError(
        `the request is of ${updated_at}, and ${options.out} has been published at ${previous} since: make a new request`,
      );
    }
    return {
      list: { updatedAt: updated_at, list, records },
      signature: signature.trim(),
      kept: false,
    };
  };
  const signer = { rootKey, development: false };
  return onOutput(options.out, async (place) => {
    const { report } = await publish({ makeList, signer, warnings: [] }, place, options);
    return report;
  });
}
