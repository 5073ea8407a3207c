import type { VerifyHolders } from '../generator/tree/held-by.js';

/** Verifies the record of the holders of a root key. Imported on demand, because most registries have none. */
export const verifyHolders: VerifyHolders = async (record, source) => {
  const { parseHolders } = await import('../custody/ceremony/holders-file.js');
  return parseHolders(record, source);
};
