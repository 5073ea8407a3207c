import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IoFailed, UsageError } from '../../errors.js';
import { PRIVATE_FOLDER, privateFolder } from '../../files/private-folder.js';

/** Where a checkout keeps the token of its sandbox issuer's operator, from the working directory. */
export const OPERATOR_TOKEN_FILE = join(PRIVATE_FOLDER, 'sandbox-operator-token');

/**
 * The token of the sandbox issuer's operator. It stands in a file, so that it is never printed.
 *
 * @param file - undefined for the checkout's own, which is made when there is none
 * @throws {@link IoFailed} | {@link UsageError}
 */
export function operatorToken(file: string | undefined): string {
  const path = file ?? OPERATOR_TOKEN_FILE;
  try {
    if (file === undefined) privateFolder('.');
    if (file === undefined && !existsSync(path)) {
      writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    }
    const token = readFileSync(path, 'utf8').trim();
    if (!/^[A-Za-z0-9._~+/=-]{16,}$/.test(token)) {
      throw new UsageError(`${path} does not hold a token: 16 or more of A-Z a-z 0-9 . _ ~ + / = -`);
    }
    return token;
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new IoFailed(`the operator's token ${path} cannot be used: ${(cause as Error).message}`, { cause });
  }
}
