import { fileURLToPath } from 'node:url';

/** The root of the checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The bundled command line. */
export const CLI = fileURLToPath(new URL('../../build/cli/main.js', import.meta.url));
/** The example records of the project. */
export const EXAMPLE_RECORDS = fileURLToPath(new URL('../../issuers', import.meta.url));
/** 200 records made from a real directory. They are outside of the checkout, and may be missing. */
export const REAL_RECORDS = fileURLToPath(new URL('../../../shared/data/vci-directory', import.meta.url));
