/** Who shares a root key, as the record of a ceremony says. */
export interface HeldBy {
  /** How many holders sign together. */
  readonly threshold: number;
  /** The names of all holders. */
  readonly names: readonly string[];
  /** Whether a dealer, who had the whole key, has split it. */
  readonly split: boolean;
}
