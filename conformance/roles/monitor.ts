import type { KnownLog } from '../../observers/monitoring/known-log.js';
import { monitorOnce } from '../../observers/monitoring/monitor.js';
import { pinnedTrust } from './pinned.js';
import { accepted, refused, type StartProgram, verdictOf } from './verdict.js';
import { sourceUrl } from './world.js';

const DAY_MS = 24 * 60 * 60_000;

/** Monitors the first source, and the others as its mirrors. Its codes are its alarms and warnings, most urgent first. */
export const startMonitor: StartProgram = ({ anchor }) => {
  let known: KnownLog | undefined;
  return {
    see: async (_step, sources) => {
      const options = {
        ...{ url: sourceUrl(0), mirrors: sources.slice(1).map((_one, at) => sourceUrl(at + 1)) },
        ...{ trust: await pinnedTrust(anchor), watch: [], folder: undefined, sinceMs: undefined },
        ...{ pendingAfterMs: DAY_MS, maxAgeMs: 30 * DAY_MS, timeoutMs: 600_000 },
      };
      try {
        const round = await monitorOnce(options, known);
        known = round.known;
        const codes = (severity: string[]) =>
          round.report.findings.filter((one) => severity.includes(one.severity)).map(({ code }) => code);
        const wrong = codes(['alarm', 'warning']).join(',');
        const more = { log: round.report.log?.size, notes: codes(['change', 'note']) };
        return wrong === '' ? accepted(more) : refused(wrong, more);
      } catch (error) {
        return verdictOf(error);
      }
    },
  };
};
