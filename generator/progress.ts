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
