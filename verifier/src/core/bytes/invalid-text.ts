/** Creates the error for a text that is not in its format. The message is a predicate, such as "has no signature". */
export type InvalidText = (message: string) => Error;
