import type { RegistryFiles } from '../core/publication/registry-files.js';
import type { AcceptedStatements, SourceTrust } from '../core/publication/statements.js';
import type { StoredPublication } from '../core/publication/stored-publication.js';

/** What a client trusts when it reads a source, and what it answers from. */
export interface ClientTrust<S extends AcceptedStatements> extends SourceTrust {
  /** What answers come from now. Undefined if there is nothing, or only what protects against rollbacks. */
  readonly current: S | undefined;
}

/** What a client reads from a source and keeps: a publication with its list, or only its statements. */
export interface PublicationReader<S extends AcceptedStatements> {
  /** Returns the files to request at once, besides the rotation. */
  pathsReadFirst(trust: Omit<ClientTrust<S>, 'roots'>): readonly string[];
  /** Reads and verifies the files of a source. */
  read(files: RegistryFiles, trust: ClientTrust<S>): Promise<S>;
  /** Returns the size of the current list in bytes; 0 if the client keeps no list. */
  listSize(publication: S): number;
  /**
   * Converts to the stored form. Returns undefined if there is nothing to save.
   *
   * @param rotation - the content of the rotation.json that leads to the root key
   */
  toStored(publication: S, rotation: string | undefined): StoredPublication | undefined;
  /** Called when the client begins to use what it has read. */
  onUse?(publication: S): void;
}
