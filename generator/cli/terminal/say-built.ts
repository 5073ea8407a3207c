import { DEVELOPMENT_KEY_FILE } from '../../files/private-folder.js';
import type { BuildReport } from '../../publishing/report.js';
import { sayDiagnostics } from './diagnostics.js';
import { count, say } from './output.js';

/** A report of a build as people read it. */
export function sayBuilt(report: BuildReport, milliseconds: number): void {
  const { out, issuers, written, unchanged, removed, bytes } = report;
  sayDiagnostics(report.warnings);
  for (const note of report.notes) say(`note: ${note}`);
  if (report.development) {
    say('*** DEVELOPMENT KEY: no --key was given, so a key made on this machine signed the tree.');
    say(`*** It is kept in ${DEVELOPMENT_KEY_FILE}. The tree is marked unfit for production.`);
  }
  const seconds = (milliseconds / 1000).toFixed(1);
  say(`${out}: ${count(issuers, 'issuer')}, ${count(bytes, 'byte')}, verified in ${seconds} s`);
  say(`files      ${written} written, ${unchanged} unchanged, ${removed} removed`);
  say(`updated_at ${report.updatedAt}${report.kept ? ' (the list is unchanged)' : ''}`);
  say(`sha256     ${report.sha256}`);
  say(`root key   ${report.rootKey}${report.development ? ' (development)' : ''}`);
}
