/** A tree of sums, as a publication statement names it. */
export interface NamedSums {
  /** SHA-256 of `sums/root`, in lower-case hexadecimal. */
  readonly sumsSha256: string;
  readonly levels: number;
}
