import { prepareSigning } from '../../offline-signing/prepare-signing.js';
import { type BuildCommandOptions, listTime } from '../options/build-options.js';
import { exceptions } from '../options/rule-options.js';
import { sayDiagnostics } from '../terminal/diagnostics.js';
import { emit, say } from '../terminal/output.js';

/** `passport-registry build --unsigned`: writes a signing request, and leaves the tree as it is. */
export async function buildUnsigned(folder: string, options: BuildCommandOptions): Promise<undefined> {
  const request = await prepareSigning(
    {
      issuers: options.issuers,
      out: options.out,
      exceptions: exceptions(options),
      time: listTime(options),
    },
    folder,
  );
  if (options.json)
    emit({ ok: true, request: request && folder, sha256: request?.sha256, changes: request?.changes });
  if (request === undefined) {
    say(`${options.out} says the same already: there is nothing to sign`);
    return undefined;
  }
  sayDiagnostics(request.warnings);
  for (const line of request.changes) say(line);
  say(`sha256 ${request.sha256}`);
  say(`${folder} waits to be signed: \`passport-registry sign ${folder}\`, where the key is`);
  return undefined;
}
