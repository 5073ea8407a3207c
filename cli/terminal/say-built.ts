import { describeRequest, type SigningRequest } from '../../custody/offline-signing/signing-request.js';
import { DEVELOPMENT_KEY_FILE } from '../../generator/files/private-folder.js';
import type { BuildReport } from '../../generator/publishing/report.js';
import { sayDiagnostics } from './diagnostics.js';
import { count, emit, type Io, say } from './io.js';

/** Exit code if everything is signed and written, but verifiers, or those that demand witnesses, do not accept it yet. */
export const UNFINISHED = 6;

/** What a command says that leaves a publication waiting. */
export const WAITS =
  'a publication waits beside the tree, because too few witnesses have cosigned it: run `checkpoint` when the witnesses are back';

/** Returns the exit code after a publication. */
export const codeOf = ({ isFinished }: BuildReport): number => (isFinished ? 0 : UNFINISHED);

/**
 * Prints the report of a publication, for people and, if wanted, as JSON.
 *
 * @param started - `performance.now()` of the start
 * @returns the exit code
 */
export function reportPublished(
  io: Io,
  report: BuildReport,
  { json, started }: { readonly json?: true | undefined; readonly started: number },
): number {
  const code = codeOf(report);
  if (json) emit(io, { ok: code === 0, ...report });
  sayBuilt(io, report, performance.now() - started);
  return code;
}

/** Prints the report of a build for people. */
export function sayBuilt(io: Io, report: BuildReport, milliseconds: number): void {
  const { out, issuers, written, unchanged, removed, bytes } = report;
  sayDiagnostics(io, report.warnings);
  for (const note of report.notes) say(io, `note: ${note}`);
  if (report.development) {
    say(io, '*** DEVELOPMENT KEY: no --key was given, so a key made on this machine signed the tree.');
    say(io, `*** It is kept in ${DEVELOPMENT_KEY_FILE}. The tree is marked as not for production.`);
  }
  const seconds = (milliseconds / 1000).toFixed(1);
  say(io, `${out}: ${count(issuers, 'issuer')}, ${count(bytes, 'byte')}, verified in ${seconds} s`);
  say(io, `files      ${written} written, ${unchanged} unchanged, ${removed} removed`);
  say(io, `updated_at ${report.updatedAt}${report.kept ? ' (the list is unchanged)' : ''}`);
  say(io, `sha256     ${report.sha256}`);
  sayLog(io, report);
  say(io, `root key   ${report.rootKey}${report.development ? ' (development)' : ''}`);
}

/** Prints what a publication did with the log. */
export function sayLog(io: Io, { log }: Pick<BuildReport, 'log'>): void {
  if (log === undefined) return;
  const { size, cosigned, collected, quorum, missing } = log;
  const witnesses = count(cosigned, 'witness', 'witnesses');
  const cosignatures =
    quorum === 0 ? '' : `, cosigned by ${witnesses}, ${collected} of them now; the quorum is ${quorum}`;
  say(io, `log        ${count(size, 'entry', 'entries')}${cosignatures}`);
  for (const problem of missing) say(io, `WARNING: witness ${problem}`);
}

/** Shows a new signing request, and how it is signed. */
export function sayRequest(io: Io, request: SigningRequest, folder: string): void {
  for (const line of describeRequest(request)) say(io, line);
  say(
    io,
    `${folder} is ready to be signed: run \`passport-registry sign ${folder}\` where the key is; each holder of a shared key adds \`--share FILE\``,
  );
}
