import type { RootKey } from '../keys/root-key.js';

/** Returns the first result under one of the root keys. If none has a result, the error of the first key counts. */
export async function underAnyRoot<T>(
  roots: readonly RootKey[],
  read: (root: RootKey) => Promise<T>,
): Promise<T> {
  let firstError: unknown;
  for (const root of roots) {
    try {
      return await read(root);
    } catch (error) {
      firstError ??= error;
    }
  }
  throw firstError;
}
