import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Does work while some functions of `node:fs` are others, for everything in this process. */
export async function withFs<T>(others: Partial<typeof fs>, work: () => Promise<T>): Promise<T> {
  const names = Object.keys(others) as (keyof typeof fs)[];
  const own = Object.fromEntries(names.map((name) => [name, fs[name]]));
  Object.assign(fs, others);
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    Object.assign(fs, own);
    syncBuiltinESMExports();
  }
}
