import { requestedUpdatedAt } from '../../list/updated-at.js';
import { prepareSigning } from '../../offline-signing/prepare-signing.js';
import type { BuildCommandOptions } from '../options/build-options.js';
import { ruleOptions } from '../options/rule-options.js';
import { sayDiagnostics } from '../terminal/diagnostics.js';
import type { Io } from '../terminal/io.js';
import { emit, say } from '../terminal/output.js';

/** `passport-registry build --unsigned`: writes a signing request, and leaves the tree as it is. */
export async function buildUnsigned(
  io: Io,
  folder: string,
  options: BuildCommandOptions,
): Promise<undefined> {
  const request = await prepareSigning(
    {
      issuers: options.issuers,
      out: options.out,
      ...ruleOptions(options),
      renew: options.renew === true,
      updatedAt: requestedUpdatedAt(options.updatedAt, io.env['SOURCE_DATE_EPOCH']),
    },
    folder,
  );
  if (options.json)
    emit(io, { ok: true, request: request && folder, sha256: request?.sha256, changes: request?.changes });
  if (request === undefined) {
    say(io, `${options.out} says the same already: there is nothing to sign`);
    return undefined;
  }
  sayDiagnostics(io, request.warnings);
  for (const line of request.changes) say(io, line);
  say(io, `sha256 ${request.sha256}`);
  say(io, `${folder} waits to be signed: \`passport-registry sign ${folder}\`, where the key is`);
  return undefined;
}
