import { createRegistryClient, type RegistryClient, type RootKey } from '@passport-registry/verifier';
import {
  ANY_TIME,
  CLOCK_TOLERANCE_MS,
  parseStatementsFile,
  TREE_FILES,
  verifyCheckpoint,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { fetchFile } from './fetch-file.js';
import type { RegistryAnchor } from './trust-anchor.js';
import { NotVerified, notVerified } from './verified-registry.js';

/** Codes that say nothing about the old list. */
const SAYS_NOTHING = /_(?:EXPIRED|TIMEOUT)$|^ERR_(?:SOURCE|PAGE)/;

/**
 * Verifies a registry whose list has expired, as of the time of its checkpoint. The client is closed, so the list stays as it
 * is. The caller says that it is old.
 *
 * @param failure - that the list has expired
 * @throws {@link NotVerified} if the list is a forgery, or if the clock of this device is ahead of the host's, so that nothing may
 *   have expired. Otherwise, such as without an answer, the failure
 */
export async function expiredRegistry(
  rootKey: RootKey,
  trustAnchor: RegistryAnchor,
  failure: NotVerified,
): Promise<RegistryClient> {
  try {
    return await oldRegistry(rootKey, trustAnchor);
  } catch (error) {
    const reason = notVerified(error);
    throw SAYS_NOTHING.test(reason.code) ? failure : reason;
  }
}

async function oldRegistry(rootKey: RootKey, trustAnchor: RegistryAnchor): Promise<RegistryClient> {
  const base = new URL(trustAnchor.sources[0]);
  const { publication, checkpoint } = parseStatementsFile(await fetchFile(base, TREE_FILES.statements));
  const { online } = await verifyPublicationStatement(publication, rootKey, ANY_TIME);
  const { issuedAt } = await verifyCheckpoint(checkpoint, { rootKey, online }, ANY_TIME);
  const now = Math.min(issuedAt, Date.now());
  const client = createRegistryClient({ trustAnchor, now: () => now });
  try {
    await client.ready();
    // Nobody signs the time of the host, so it is asked last: it must not hide a forgery.
    await assertClock(base);
    return client;
  } finally {
    client.close();
  }
}

async function assertClock(base: URL): Promise<void> {
  const { headers } = await fetch(base, { method: 'HEAD', cache: 'no-store' });
  const hostTime = Date.parse(headers.get('Date') ?? '') + Number(headers.get('Age') ?? 0) * 1000;
  if (!(Date.now() - hostTime > CLOCK_TOLERANCE_MS)) return;
  throw new NotVerified('ERR_CLOCK', `this host says that it is ${new Date(hostTime).toISOString()}`);
}
