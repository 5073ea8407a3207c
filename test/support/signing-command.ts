import { fileURLToPath } from 'node:url';

const TOOL = fileURLToPath(new URL('signing-tool.mjs', import.meta.url));

/** A signing command that signs its standard input with a key file, and prints the bytes of the signature. */
export const signsInput = (key: string): string => `"${process.execPath}" "${TOOL}" ${key}`;

/** The same for the file that replaces `{}`. */
export const signsFile = (key: string): string => `${signsInput(key)} {}`;
