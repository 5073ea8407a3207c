import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import { folderSource } from '../../generator/verification/tree-source.js';
import { mirrorOnce } from '../../observers/mirroring/mirror.js';
import { typeOf } from '../cases/files.js';

const SOURCE = 'https://source.example';

/**
 * Mirrors the tree of a folder into a new folder. A mirror has a clock and hosts of its own, which are replaced meanwhile.
 *
 * @throws what the mirror refuses
 */
export async function mirrorFolder(folder: string, trust: PinnedTrust, now: number): Promise<void> {
  const own = { fetch: globalThis.fetch, now: Date.now };
  const copy = mkdtempSync(join(tmpdir(), 'conformance-mirror-'));
  const source = folderSource(folder);
  globalThis.fetch = async (input) => {
    const path = decodeURIComponent(new URL(String(input)).pathname.slice(1));
    const bytes = (await source.get(path))?.bytes;
    if (bytes === undefined) return new Response(null, { status: 404 });
    return new Response(bytes.slice(), { headers: { 'content-type': typeOf(path) } });
  };
  Date.now = () => now;
  try {
    await mirrorOnce({ source: SOURCE, folder: copy, trust });
  } finally {
    Object.assign(globalThis, { fetch: own.fetch });
    Date.now = own.now;
    rmSync(copy, { recursive: true, force: true });
  }
}
