import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IoFailed, UsageError } from '../../generator/errors.js';
import { PRIVATE_FOLDER, privateFolder } from '../../generator/files/private-folder.js';
import { readText } from '../../generator/files/read-file.js';

/** The file with the token of the sandbox issuer's operator, relative to the working directory. */
export const OPERATOR_TOKEN_FILE = join(PRIVATE_FOLDER, 'sandbox-operator-token');

/**
 * Reads the token of the sandbox issuer's operator. The token is kept in a file, so that it is never printed.
 *
 * @param file - default: {@link OPERATOR_TOKEN_FILE}, which is created if it does not exist
 * @throws {@link IoFailed} | {@link UsageError}
 */
export function operatorToken(file: string | undefined): string {
  const path = file ?? OPERATOR_TOKEN_FILE;
  try {
    if (file === undefined) privateFolder('.');
    if (file === undefined && !existsSync(path)) {
      writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    }
    const token = readText(path).trim();
    if (!/^[A-Za-z0-9._~+/=-]{16,}$/.test(token)) {
      throw new UsageError(`${path} does not hold a token: 16 or more of A-Z a-z 0-9 . _ ~ + / = -`);
    }
    return token;
  } catch (cause) {
    if (cause instanceof UsageError || cause instanceof IoFailed) throw cause;
    throw new IoFailed(`the operator's token ${path} cannot be used: ${(cause as Error).message}`, { cause });
  }
}
