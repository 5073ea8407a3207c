/** Returns the files of the report, by path in the folder bench/. */
export declare function report(results: {
  readonly machine: string;
  readonly peers?: string;
  readonly figures: readonly object[];
}): Map<string, string>;
