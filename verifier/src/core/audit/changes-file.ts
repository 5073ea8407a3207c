/** A change of an issuer's status or tier from one list to the next. */
export interface Change {
  /** The `updated_at` of the list that made the change. */
  readonly updated_at: string;
  readonly issuer_id: string;
  readonly field: 'status' | 'tier';
  /** Null if the issuer is new. */
  readonly from: string | null;
  /** Null if the issuer was removed. */
  readonly to: string | null;
}

/** The content of `changes.json`: the changes of status and tier since the first publication (rule changes-unsigned). */
export interface Changes {
  /** Newest first. */
  readonly changes: readonly Change[];
  /** The `updated_at` of the first list. Earlier changes are unknown. */
  readonly since: string;
}

/** Limits the size of the file, even if a registry adds thousands of issuers at once. A file with so many lacks older ones. */
export const MAX_CHANGES = 1000;
