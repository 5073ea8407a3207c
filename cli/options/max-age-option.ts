import { DAY_MS, MAX_AGE_MS } from '@passport-registry/verifier/core';
import { DependentOption } from './dependent-option.js';
import { positiveNumber } from './values.js';

/** The option for the age of what is no longer accepted, for the help. Its value is in days. */
export const maxAgeOption = (of = 'a list without a checkpoint'): DependentOption =>
  new DependentOption('--max-age <days>', `maximum age of ${of}`)
    .argParser((days: string) => positiveNumber('--max-age', days))
    .default(MAX_AGE_MS / DAY_MS);

/** The verifier takes ages in seconds. */
export const DAY_SECONDS = DAY_MS / 1000;
