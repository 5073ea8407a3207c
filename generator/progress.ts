/**
 * Reports the progress of a long operation.
 *
 * @param stage - the name of the current stage
 * @param done - the number of items that are done
 * @param total - the number of all items
 */
export type OnProgress = (stage: string, done: number, total: number) => void;

/** Reports the end of a stage. The next stage starts immediately. */
export type OnStage = (stage: string) => void;

/** The callbacks by which a long operation reports its progress. */
export interface Listeners {
  /** Called repeatedly during the longer stages. */
  readonly onProgress?: OnProgress | undefined;
  /**
   * Called at the end of each stage: `records`, `published tree`, `list and signature`, `tree`, `verify`, `log`, `commit`,
   * `witnesses`, `write`.
   */
  readonly onStage?: OnStage | undefined;
}
