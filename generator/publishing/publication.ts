import type { FreshnessChoice } from '../freshness/freshness.js';
import type { ListBytes } from '../list/list.js';
import type { RecordSet } from '../records/check-records.js';
import type { RuleExceptions } from '../review/assert-publishable.js';
import type { Signer } from '../signing/sign.js';

/** When a list is updated. */
export interface ListTime {
  /** The updated_at of the list, should it differ from the published one: UTC to the second. Default: now. */
  readonly updatedAt?: string | undefined;
  /** Publish the list under a new updated_at even if no record has changed. */
  readonly renew?: boolean | undefined;
}

/** What an operator allows a publication, one by one. */
export interface PublicationExceptions extends RuleExceptions {
  /** Whether the root key may change without a rotation, so that every verifier that has pinned the old one is left behind. */
  readonly breakPinnedVerifiers?: boolean | undefined;
}

/** How a list is published. Each group is for one step. */
export interface PublishOptions {
  /** For the rules of change. */
  readonly exceptions?: PublicationExceptions | undefined;
  /** For the list that is signed. */
  readonly time?: ListTime | undefined;
  /** For what shows that the tree is the newest, and how its root key came about. */
  readonly freshness?: FreshnessChoice | undefined;
  /** Whether the list is published in compressed form, too. */
  readonly precompress?: boolean | undefined;
}

/** A list that was signed elsewhere: what takes the place of a signer. */
export interface SignedElsewhere extends RootSigner {
  readonly list: ListBytes;
  /** The text of issuers.sig. */
  readonly signature: string;
  /** SHA-256, in hexadecimal, of the published list that it follows; undefined for a first list. */
  readonly follows: string | undefined;
}

/** Whose signature it is. */
export type RootSigner = Pick<Signer, 'rootKey' | 'development'>;

/** What is published, and by whom. */
export interface Publication extends PublishOptions {
  /** The records of the list, which are held against the published ones. */
  readonly records: RecordSet;
  readonly signer: Signer | SignedElsewhere;
}
