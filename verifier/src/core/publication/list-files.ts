/** The folder of the lists that are named by their hash, and never change (rule lists). */
export const LISTS_FOLDER = 'lists/';

/** Returns the path of a list. @param sha256 - its payload hash */
export const listPath = (sha256: string) => `${LISTS_FOLDER}${sha256}.json`;
