import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mirrorOnce } from '../../observers/mirroring/mirror.js';
import { pinnedTrust } from './pinned.js';
import { accepted, type StartProgram, short, verdictOf } from './verdict.js';
import { sourceUrl } from './world.js';

/** Mirrors the first source into a new folder. From step to step, it serves what it has accepted. */
export const startMirror: StartProgram = ({ anchor }) => {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-mirror-'));
  return {
    see: async () => {
      try {
        const trust = await pinnedTrust(anchor);
        const from = { source: sourceUrl(0), folder, trust, maxAgeDays: 30, env: {} };
        const { switched, sha256, issuers, log, repaired, warnings } = await mirrorOnce(from);
        return accepted({
          ...{ switched, list: short(sha256), issuers, log: log && [log.size, log.isPending] },
          ...{ repaired: repaired.length, warnings: warnings.length },
        });
      } catch (error) {
        return verdictOf(error);
      }
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
};
