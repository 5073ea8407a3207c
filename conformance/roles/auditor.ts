import { demandsOf } from '../../generator/verification/pinned-trust.js';
import { memorySource } from '../../generator/verification/tree-source.js';
import { verifyTree } from '../../generator/verification/verify.js';
import { pinnedTrust } from './pinned.js';
import { accepted, refused, type StartProgram, short, verdictOf } from './verdict.js';
import { clock } from './world.js';

/** Audits the files of the first source. Its codes are the names of the checks that failed, in order. */
export const startAuditor: StartProgram = ({ anchor }) => ({
  see: async (_step, [source]) => {
    try {
      const trust = await pinnedTrust(anchor);
      const options = { ...demandsOf(trust), now: () => clock.now };
      const report = await verifyTree(memorySource(source?.files ?? new Map()), trust.rootKey, options);
      const { checks, warnings, hold, issuers, sha256 } = report;
      const failed = checks.filter(({ result }) => result === 'failed');
      const more = { list: short(sha256), issuers, hold, warnings: warnings.length };
      if (report.ok) return accepted(more);
      return refused(failed.map(({ name }) => name).join(','), {
        ...more,
        problems: failed.map(({ problems }) => problems.length),
      });
    } catch (error) {
      return verdictOf(error);
    }
  },
});
