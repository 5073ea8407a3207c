import { type Command, Option } from 'commander';
import { prepareSigning } from '../../custody/offline-signing/prepare-signing.js';
import { describeChanges } from '../../custody/offline-signing/signing-request.js';
import { build, buildInto } from '../../generator/build.js';
import type { OutputFolder } from '../../generator/files/output-folder.js';
import { readText } from '../../generator/files/read-file.js';
import { requestedUpdatedAt } from '../../generator/list/updated-at.js';
import type { BuildReport } from '../../generator/publishing/report.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import { addOptions } from '../options/common-options.js';
import { BUILD_OPTIONS, type BuildCommandOptions, DAYS_OPTION } from '../options/publication-options.js';
import { hasSigner } from '../options/settings.js';
import { rootSignerChoice } from '../options/signer-options.js';
import { sayDiagnostics } from '../terminal/diagnostics.js';
import { emit, type Io, say } from '../terminal/io.js';
import { withProgress } from '../terminal/progress.js';
import { codeOf, sayRequest } from '../terminal/say-built.js';
import { listChoice, publishChoice, reportPublished } from './publishing.js';

interface Options extends BuildCommandOptions {
  delegate?: readonly string[];
  /** Undefined if neither `--hold` nor `--no-hold` was given. */
  hold?: boolean;
}

/** `passport-registry build` */
export function declareBuild(command: Command, io: Io) {
  addOptions(command, ...BUILD_OPTIONS, ...DELEGATE_OPTIONS);
  return async ({ unsigned, ...options }: Options) =>
    unsigned === undefined
      ? codeOf(await buildAndReport(io, options))
      : buildUnsigned(io, { ...options, unsigned });
}

const DELEGATE_OPTIONS = [
  new Option(
    '--delegate <file...>',
    'with --unsigned: public JWKs of online keys, for a new delegation in the request',
  ),
  DAYS_OPTION,
  new Option('--hold', 'let the keys of --delegate also stop issuers (default: as the published delegation)'),
  new Option('--no-hold', 'do not let the keys of --delegate stop issuers'),
];

/** What a command that builds does besides. */
interface BuildPurpose {
  /** The output folder, if the command has exclusive access to it already. */
  readonly output?: OutputFolder;
  /** The issuers that the command stops. */
  readonly stopped?: readonly string[];
}

/** Builds, and prints the report. */
export async function buildAndReport(
  io: Io,
  options: BuildCommandOptions,
  { output, ...purpose }: BuildPurpose = {},
): Promise<BuildReport> {
  const started = performance.now();
  const report = await withProgress(io, async (onProgress) => {
    const how = {
      signer: rootSignerChoice(io, options),
      ...(await publishChoice(io, options, purpose)),
      ...listOptions(io, options),
      listeners: { onProgress },
    };
    return output === undefined ? build(how) : buildInto(output, how);
  });
  reportPublished(io, report, { ...options, started });
  return report;
}

/** The next list: the same for a build and for a signing request. */
function listOptions(io: Io, { issuers, out, updatedAt, renew }: BuildCommandOptions) {
  const time = requestedUpdatedAt(updatedAt, io.env['SOURCE_DATE_EPOCH']);
  return { issuers, out, time: { updatedAt: time, renew: renew === true } };
}

/** `passport-registry build --unsigned`: writes a signing request, and leaves the tree unchanged. */
export async function buildUnsigned(
  io: Io,
  options: Options & { readonly unsigned: string },
): Promise<number> {
  const { settings, delegation, delegate, hold, unsigned: folder } = options;
  const { root_key: rootKey } = settings;
  // It shows whether the list is the first one. `attach` publishes it.
  if (delegation !== undefined) readText(delegation);
  const request = await prepareSigning(
    {
      rootKey: rootKey === undefined ? undefined : await loadRootKey(rootKey, io.env),
      // Of two histories, `attach` could not publish what is signed, also if that stops somebody.
      ...(await listChoice(io, options)),
      ...listOptions(io, options),
      checkpoint: hasSigner(settings.checkpoint),
      delegate: delegate && {
        keys: await Promise.all(delegate.map((file) => loadRootKey(file, io.env))),
        days: settings.delegation.days,
        mayHold: hold,
      },
    },
    folder,
  );
  const { sha256, sequence } = request?.publication?.statement ?? {};
  const changes = request && describeChanges(request);
  if (options.json) emit(io, { ok: true, ...(request && { request: folder, sha256, sequence, changes }) });
  if (request === undefined) {
    say(io, `${options.out} already has the same records: there is nothing to sign`);
    return 0;
  }
  sayDiagnostics(io, request.warnings);
  if (request.answers !== undefined) say(io, `note: ${request.answers}`);
  sayRequest(io, request, folder);
  return 0;
}
