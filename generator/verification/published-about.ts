import { RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  type AboutIssuers,
  ANY_TIME,
  verifyAbout,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { IoFailed } from '../errors.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { SeenFiles } from './seen-files.js';

/**
 * Reads the names and reasons that are published with a verified list (rule about-file). They are for people, so no fault in
 * them is an error.
 *
 * @returns undefined if they are not known, because a file is missing, damaged, or of another publication
 */
export async function publishedAbout(
  files: SeenFiles,
  rootKey: RootKey,
  list: Uint8Array,
): Promise<AboutIssuers | undefined> {
  try {
    const bytes = await files.get(PATHS.publication);
    const statement = bytes && (await verifyPublicationStatement(bytes, rootKey, ANY_TIME));
    if (statement?.sha256 !== sha256(list)) return undefined;
    const about = statement.aboutSha256 === undefined ? undefined : await files.get(PATHS.about);
    return await verifyAbout(about, statement);
  } catch (error) {
    if (error instanceof RegistryError || error instanceof IoFailed) return undefined;
    throw error;
  }
}
