import { prepareSigning } from '../prepare-signing.js';
import { requestedUpdatedAt } from '../updated-at.js';
import type { BuildCommandOptions } from './build.js';
import { emit, say } from './output.js';
import { optionalNumber } from './positive-number.js';

/** `passport-registry build --unsigned`: writes a signing request, and leaves the tree as it is. */
export async function buildUnsigned(folder: string, options: BuildCommandOptions): Promise<undefined> {
  const request = await prepareSigning(
    {
      issuers: options.issuers,
      out: options.out,
      workers: optionalNumber('--workers', options.workers),
      renew: options.renew === true,
      updatedAt: requestedUpdatedAt(options.updatedAt, process.env['SOURCE_DATE_EPOCH']),
    },
    folder,
  );
  if (options.json)
    emit({ ok: true, request: request && folder, sha256: request?.sha256, changes: request?.changes });
  if (request === undefined) {
    say(`${options.out} says the same already: there is nothing to sign`);
    return undefined;
  }
  for (const line of request.changes) say(line);
  say(`sha256 ${request.sha256}`);
  say(`${folder} waits to be signed: \`passport-registry sign ${folder}\`, where the key is`);
  return undefined;
}
