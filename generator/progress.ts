/**
 * Told how far a long piece of work has come.
 *
 * @param stage - what is being done, in a word
 * @param done - how many are done
 * @param total - of how many
 */
export type OnProgress = (stage: string, done: number, total: number) => void;

/** Told of each stage of a piece of work when it ends; the next one begins there. */
export type OnStage = (stage: string) => void;

/** Who is told how a long piece of work goes. */
export interface Listeners {
  /** Told how far the longer stages have come. */
  readonly onProgress?: OnProgress | undefined;
  /** Told when a stage ends: `records`, `published tree`, `list and signature`, `tree`, `verify`, `write`, `read back`. */
  readonly onStage?: OnStage | undefined;
}
