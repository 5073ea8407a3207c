import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { IoFailed, UsageError } from '../../generator/errors.js';
import { PRIVATE_FOLDER, privateFolder } from '../../generator/files/private-folder.js';
import { readText } from '../../generator/files/read-file.js';
import type { KeyCurve } from '../../generator/signing/key-file.js';
import { JSON_OPTION, portOption } from '../options/common-options.js';
import { ALG_OPTION } from '../options/new-key-options.js';
import { isAddress } from '../options/values.js';
import { emit, type Io, say } from '../terminal/io.js';
import { serveUntilStopped } from '../terminal/until-stopped.js';

interface Options {
  port: number;
  issuerId: string;
  issuerUrl: string;
  passportLifetime: string;
  alg: KeyCurve;
  operatorToken?: string;
  json?: true;
}

/** The file with the token of the sandbox issuer's operator, relative to the working directory. */
const OPERATOR_TOKEN_FILE = join(PRIVATE_FOLDER, 'sandbox-operator-token');

/** `passport-registry sandbox` */
export function declareSandbox(command: Command, io: Io) {
  command
    .addOption(portOption(8787))
    .option('--issuer-id <id>', 'id of the issuer', 'playground')
    .option('--issuer-url <url>', 'URL of the issuer', 'https://playground.example')
    .addOption(ALG_OPTION)
    .option('--passport-lifetime <seconds>', 'how long a passport is valid', '3600')
    .option('--operator-token <file>', `file with the operator's token (default: ${OPERATOR_TOKEN_FILE})`)
    .addOption(JSON_OPTION);
  return (options: Options) => sandbox(io, options);
}

async function sandbox(io: Io, options: Options): Promise<void> {
  const { port, issuerId, issuerUrl, alg, passportLifetime } = options;
  if (!isAddress(issuerUrl)) throw new UsageError('--issuer-url takes an http(s) URL');
  if (!/^[1-9]\d{0,8}$/.test(passportLifetime)) {
    throw new UsageError('--passport-lifetime takes a number of seconds');
  }
  const token = operatorToken(options.operatorToken);
  // Imported on demand, because the other commands need no server.
  const { startSandbox } = await import('passport-registry/sandbox');
  const started = startSandbox({
    port,
    issuerId,
    issuerUrl,
    keyType: alg,
    operatorToken: token,
    passportLifetime: Number(passportLifetime),
  });
  await serveUntilStopped(started, { port }, ({ address }) => {
    if (options.json) emit(io, { address, issuerId, issuerUrl });
    say(io, `sandbox issuer ${issuerId} at ${address}, known to the registry as ${issuerUrl}`);
    say(io, 'state          in memory, until this process ends');
    say(io, `operator token ${options.operatorToken ?? OPERATOR_TOKEN_FILE}`);
    say(io, 'It issues a passport to anyone who proves possession of a key: use it only for experiments.');
  });
}

/**
 * Reads the token of the sandbox issuer's operator. The token is kept in a file, so that it is never printed.
 *
 * @param file - default: {@link OPERATOR_TOKEN_FILE}, which is created if it does not exist
 * @throws {@link IoFailed} | {@link UsageError}
 */
function operatorToken(file: string | undefined): string {
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
