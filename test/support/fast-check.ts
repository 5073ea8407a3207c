import fc from 'fast-check';

/** The default seed is fixed, so that an unrelated change does not fail because of new random values. */
const SEED = 8785;

fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] || SEED) | 0 });

/** The library for property tests, with the seed of this run. */
export default fc;
