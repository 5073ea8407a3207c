import { describeRequest, type SigningRequest } from '../../custody/offline-signing/signing-request.js';
import type { Io } from './io.js';
import { say } from './output.js';

/** Shows a new signing request, and how it is signed. */
export function sayRequest(io: Io, request: SigningRequest, folder: string): void {
  for (const line of describeRequest(request)) say(io, line);
  say(
    io,
    `${folder} is ready to be signed: run \`passport-registry sign ${folder}\` on the machine that has the key. Holders of a shared ` +
      `key run \`passport-registry sign ${folder} --share FILE\`, and once more when enough of them have done so`,
  );
}
