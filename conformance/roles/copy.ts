import { openRegistry, type TrustAnchor } from '@passport-registry/verifier';
import { accepted, type StartProgram, short, verdictOf } from './verdict.js';
import { clock } from './world.js';

const MAX_AGE_SECONDS = 30 * 24 * 60 * 60;

/** Opens the files of the first source as an offline copy. It remembers nothing. */
export const startCopy: StartProgram = ({ anchor }) => ({
  see: async (_step, [source]) => {
    const copy = { get: async (path: string) => source?.files.get(path) };
    const trust = { trustAnchor: anchor as TrustAnchor, maxAge: MAX_AGE_SECONDS, now: () => clock.now };
    try {
      const { sha256, hold, list } = await openRegistry(copy, trust);
      return accepted({ list: short(sha256), hold, issuers: list().length });
    } catch (error) {
      return verdictOf(error);
    }
  },
});
