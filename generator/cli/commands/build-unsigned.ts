import { prepareSigning } from '../../offline-signing/prepare-signing.js';
import { loadRootKey } from '../../signing/key-file.js';
import { type BuildCommandOptions, listTime } from '../options/build-options.js';
import { logChoice } from '../options/log-options.js';
import { exceptions } from '../options/rule-options.js';
import { sayDiagnostics } from '../terminal/diagnostics.js';
import type { Io } from '../terminal/io.js';
import { emit, say } from '../terminal/output.js';

/** `passport-registry build --unsigned`: writes a signing request, and leaves the tree unchanged. */
export async function buildUnsigned(
  io: Io,
  folder: string,
  options: BuildCommandOptions,
): Promise<undefined> {
  const { rootKey, checkpointKey, checkpointSignerCommand } = options;
  const request = await prepareSigning(
    {
      issuers: options.issuers,
      out: options.out,
      rootKey: rootKey === undefined ? undefined : await loadRootKey(rootKey, true, io.env),
      log: await logChoice(io, options),
      checkpoint: checkpointKey !== undefined || checkpointSignerCommand !== undefined,
      exceptions: exceptions(options),
      time: listTime(io, options),
    },
    folder,
  );
  if (options.json)
    emit(io, {
      ok: true,
      ...(request && { request: folder, sha256: request.sha256, sequence: request.statement.sequence }),
      changes: request?.changes,
    });
  if (request === undefined) {
    say(io, `${options.out} already has the same records: there is nothing to sign`);
    return undefined;
  }
  sayDiagnostics(io, request.warnings);
  for (const line of request.changes) say(io, line);
  say(io, `sha256   ${request.sha256}`);
  say(io, `root key ${request.rootKey.thumbprint}`);
  say(
    io,
    `${folder} is ready to be signed: run \`passport-registry sign ${folder}\`, on the machine that has the key`,
  );
  return undefined;
}
