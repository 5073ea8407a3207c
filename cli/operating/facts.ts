import type { Issuer, RootKey } from '@passport-registry/verifier';
import type { ProvenStatements } from '../../generator/verification/check-tree.js';
import type { Served } from '../../observers/hosts/served.js';
import type { PendingChanges } from './pending-changes.js';
import type { Presence } from './signer-presence.js';

/** The tree in the output folder, as an audit finds it under its own root key. */
export interface TreeFacts extends Pick<ProvenStatements, 'publication' | 'checkpoint'> {
  readonly folder: string;
  /** Whether the folder has any file. */
  readonly isThere: boolean;
  /** Why an audit refuses the tree; empty if it is whole. Times don't count. */
  readonly problems: readonly string[];
  /** What this version does not know, or what is not part of the tree. */
  readonly notes: readonly string[];
  /** Whether a development key signed the tree. */
  readonly development: boolean;
  /** With the keys to which the rotation commits it. */
  readonly rootKey: RootKey | undefined;
  /** The rotation steps, oldest first. */
  readonly rotation: readonly string[];
  readonly logProof: string | undefined;
  /** The records of the list. */
  readonly issuers: readonly Issuer[];
}

/** The root key of the settings. */
export interface RootKeyFacts {
  /** The file of the public key; undefined if none is configured. */
  readonly file: string | undefined;
  readonly rootKey: RootKey | undefined;
  /** Why the file cannot be used. */
  readonly problem: string | undefined;
  /** The keys to which registry.yaml commits the root key. */
  readonly nextRoots: readonly string[] | undefined;
  /** Whether the rotation of the tree leads from this key to that of the tree. */
  readonly isReplaced: boolean;
  readonly signer: Presence;
}

/** The online key of the settings. */
export interface OnlineKeyFacts {
  /** Whether registry.yaml has an online key. */
  readonly isConfigured: boolean;
  /** Undefined if registry.yaml names no public key, or one that cannot be read. */
  readonly thumbprint: string | undefined;
  /** Whether registry.yaml lets it hold issuers. */
  readonly mayHold: boolean;
  readonly signer: Presence;
}

/** The log of the settings, and who has cosigned that of the tree. */
export interface LogFacts {
  readonly isConfigured: boolean;
  readonly origin: string | undefined;
  readonly hasSigner: boolean;
  readonly signer: Presence;
  /** The number of entries; undefined if the tree has no proof. */
  readonly size: number | undefined;
  /** The newest valid cosignature of each witness of registry.yaml, newest first. */
  readonly cosigned: readonly { readonly name: string; readonly time: number }[];
  readonly witnesses: number;
  readonly quorum: number;
}

/** The records, compared with the tree. `problem`: why they are not. */
export type RecordFacts = PendingChanges | { readonly problem: string; readonly isMissing: boolean };

/** A host, and what it serves. */
export interface HostFacts {
  readonly role: 'base_url' | 'mirror';
  readonly url: string;
  readonly served: Served;
}

/** All that `status` reads, each once. */
export interface Facts {
  readonly now: number;
  readonly tree: TreeFacts;
  readonly rootKey: RootKeyFacts;
  readonly online: OnlineKeyFacts;
  readonly log: LogFacts;
  readonly records: RecordFacts;
  /** Whether a committed publication waits beside the tree. */
  readonly hasStage: boolean;
  /** Why no host was asked, or what the hosts serve. */
  readonly hosts: 'offline' | 'no base_url' | 'no root key' | readonly HostFacts[];
}
