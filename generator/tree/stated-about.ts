import { type AboutIssuers, type PublicationStatement, readAbout } from '@passport-registry/verifier/core';
import { TreeRejected } from '../errors.js';
import { sha256 } from './checksums.js';

/**
 * Reads the names and reasons that a publication statement names (rule about-file).
 *
 * @param candidates - the files that may be the one that the statement names
 * @returns none if the statement names no file. Undefined if no candidate is that file: then they are not known
 */
export function readStatedAbout(
  candidates: readonly (Uint8Array | undefined)[],
  statement: Pick<PublicationStatement, 'aboutSha256'> | undefined,
): AboutIssuers | undefined {
  const wanted = statement?.aboutSha256;
  if (wanted === undefined) return new Map();
  const bytes = candidates.find((one) => one !== undefined && sha256(one) === wanted);
  try {
    return bytes && readAbout(bytes, (message) => new TreeRejected(message));
  } catch (error) {
    if (error instanceof TreeRejected) return undefined;
    throw error;
  }
}
