import type { Command } from 'commander';
import { prepareSigning } from '../../custody/offline-signing/prepare-signing.js';
import { describeChanges } from '../../custody/offline-signing/signing-request.js';
import { build } from '../../generator/build.js';
import { requestedUpdatedAt } from '../../generator/list/updated-at.js';
import type { BuildReport } from '../../generator/publishing/report.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import { addOptions } from '../options/common-options.js';
import { listChoice, onlineChoice, publishChoice, treeOptions } from '../options/publication-choices.js';
import {
  BUILD_OPTIONS,
  type BuildCommandOptions,
  UPDATED_AT_OPTION,
} from '../options/publication-options.js';
import { rootSignerChoice } from '../options/signer-options.js';
import { sayDiagnostics } from '../terminal/diagnostics.js';
import { emit, type Io, say, withProgress } from '../terminal/io.js';
import { codeOf, reportPublished, sayRequest } from '../terminal/say-built.js';

/** `passport-registry build` */
export function declareBuild(command: Command, io: Io) {
  addOptions(command, ...BUILD_OPTIONS, UPDATED_AT_OPTION);
  return (options: BuildCommandOptions) => buildOrRequest(io, options);
}

/** Builds the tree or, with `--unsigned`, writes a signing request. @returns the exit code */
export async function buildOrRequest(io: Io, { unsigned, ...options }: BuildCommandOptions): Promise<number> {
  if (unsigned !== undefined) return buildUnsigned(io, { ...options, unsigned });
  return codeOf(await buildAndReport(io, options));
}

/** Builds, and prints the report. */
async function buildAndReport(io: Io, options: BuildCommandOptions): Promise<BuildReport> {
  const started = performance.now();
  const report = await withProgress(io, async (onProgress) =>
    build({
      signer: rootSignerChoice(io, options),
      ...(await publishChoice(io, options)),
      ...listOptions(io, options),
      listeners: { onProgress },
    }),
  );
  reportPublished(io, report, { json: options.json, started });
  return report;
}

/** The next list: the same for a build and for a signing request. */
function listOptions(io: Io, { issuers, out, updatedAt }: BuildCommandOptions) {
  const time = requestedUpdatedAt(updatedAt, io.env['SOURCE_DATE_EPOCH']);
  return { issuers, out, time: { updatedAt: time } };
}

/** `passport-registry build --unsigned`: writes a signing request, and leaves the tree unchanged. */
async function buildUnsigned(
  io: Io,
  options: BuildCommandOptions & { readonly unsigned: string },
): Promise<number> {
  const { settings, unsigned: folder } = options;
  const { root_key: rootKey } = settings;
  const request = await prepareSigning(
    {
      rootKey: rootKey === undefined ? undefined : await loadRootKey(rootKey, io.env),
      ...(await listChoice(io, options)),
      ...listOptions(io, options),
      freshness: {
        online: await onlineChoice(io, settings),
        checkpoint: { hours: settings.checkpoint.hours },
      },
      ...treeOptions(settings),
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
  for (const note of request.notes) say(io, `note: ${note}`);
  sayRequest(io, request, folder);
  return 0;
}
