import { fileURLToPath } from 'node:url';

const TOOL = fileURLToPath(new URL('signing-tool.mjs', import.meta.url));

/** A signing command that signs its standard input with a key file, and prints the signature in a form. */
export const signsInput = (key: string, form: string): string =>
  `"${process.execPath}" "${TOOL}" ${key} ${form}`;

/** A signing command that signs the file that replaces `{}`, and prints the bytes of the signature. */
export const signsFile = (key: string): string => `${signsInput(key, 'raw')} {}`;
