import { RegistryError } from '@passport-registry/verifier';
import {
  type PublicationStatement,
  publicationClaims,
  readStatement,
  type Statement,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../errors.js';

/** Parses a publication statement, and verifies neither its claims nor its signature. @throws {@link TreeRejected} */
export function parsePublicationStatement(text: Uint8Array | string): Statement {
  return readStatement(
    text,
    'registry-publication+jwt',
    (message, cause) => new TreeRejected(`the publication statement ${message}`, { cause }),
  );
}

/** Reads a publication statement without verifying its signature. @throws {@link TreeRejected} */
export function readPublicationStatement(text: Uint8Array | string): PublicationStatement {
  try {
    return publicationClaims(parsePublicationStatement(text));
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new TreeRejected(cause.message, { cause });
  }
}
