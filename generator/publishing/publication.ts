import type { FreshnessChoice } from '../freshness/freshness.js';
import type { ListBytes } from '../list/list.js';
import type { LogChoice } from '../log/log-choice.js';
import type { CompleteRecords } from '../records/check-records.js';
import type { RuleExceptions } from '../review/assert-publishable.js';
import type { Signer } from '../signing/sign.js';
import type { RegistryDescription } from '../tree/registry-description.js';
import type { PageSettings } from '../tree/site/page-settings.js';
import type { UrlQuestion } from './follow-url.js';

/** The time of a list. */
export interface ListTime {
  /** The updated_at of the list if the list has changed: RFC 3339, UTC to the second. Default: now. */
  readonly updatedAt?: string | undefined;
}

/** The exceptions that an operator allows for a publication, one by one. */
export interface PublicationExceptions extends RuleExceptions {
  /**
   * Whether the root key may change without a rotation. Every verifier that pinned the old key then refuses the
   * registry.
   */
  readonly breakPinnedVerifiers?: boolean | undefined;
}

/** What a tree contains besides the list. */
export interface TreeOptions {
  /** What the page and the OpenAPI description say about the registry. Default: nothing. */
  readonly about?: RegistryDescription | undefined;
  /** How the pages look, and whether each issuer has one. Default: a page in English, without a logo. */
  readonly page?: PageSettings | undefined;
}

/** How to publish a list. Each group is for one step. */
export interface PublishOptions extends TreeOptions {
  /** How to ask the registry's URL before a production key signs. Default: nothing is asked. */
  readonly url?: UrlQuestion | undefined;
  /** For the step that applies the rules of change. */
  readonly exceptions?: PublicationExceptions | undefined;
  /** For the step that signs. */
  readonly time?: ListTime | undefined;
  /** The log and its witnesses, for the steps that sign and log. Default: the registry has no log. */
  readonly log?: LogChoice | undefined;
  /** Online keys, rotation and checkpoint: for the statement, and for the step that assembles the tree. */
  readonly freshness?: FreshnessChoice | undefined;
}

/** A list that was signed elsewhere, in place of a signer. */
export interface SignedElsewhere extends RootSigner {
  readonly list: ListBytes;
  /** The text of issuers.sig. */
  readonly signature: string;
  /** The publication statement, a JWT. */
  readonly statement: string;
  /** The checkpoint, a JWT. Undefined: an online key signs it here. */
  readonly checkpoint?: string | undefined;
  /** SHA-256, in hexadecimal, of the published list that this list follows; undefined for a first list. */
  readonly follows: string | undefined;
}

/** The root key that signs, and whether it is a development key. */
export type RootSigner = Pick<Signer, 'rootKey' | 'development'>;

/** The records to publish, the signer and the options. */
export interface NewPublication extends PublishOptions {
  /** The records of the list, which are compared with the published records, with what is said of them beside the list. */
  readonly records: CompleteRecords;
  readonly signer: Signer | SignedElsewhere;
}
