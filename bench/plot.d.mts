/** Draws lines against the number of issuers. A value of 0 is left out. */
export declare function growthPlot(plot: {
  readonly title: string;
  readonly unit: (value: number) => string;
  readonly series: readonly {
    readonly name: string;
    readonly points: readonly (readonly [issuers: number, value: number])[];
  }[];
}): string;
