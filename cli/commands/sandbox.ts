import { once } from 'node:events';
import type { Command } from 'commander';
import { UsageError } from '../../generator/errors.js';
import { OPERATOR_TOKEN_FILE, operatorToken } from '../options/operator-token.js';
import { cannotListen, portNumber } from '../options/port-number.js';
import { isAddress } from '../options/where.js';
import type { Invocation, Io } from '../terminal/io.js';
import { emit, say } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { untilStopped } from '../terminal/until-stopped.js';

interface Options {
  port: string;
  issuerId: string;
  issuerUrl: string;
  passportLifetime: string;
  keyType: string;
  operatorToken?: string;
  json?: true;
}

/** `passport-registry sandbox` */
export function declareSandbox(command: Command, io: Invocation): void {
  command
    .description('run an issuer of passports on this machine, for experiments')
    .option('--port <number>', 'port to listen on', '8787')
    .option('--issuer-id <id>', 'id of the issuer in the registry', 'playground')
    .option('--issuer-url <url>', 'URL of the issuer in the registry', 'https://playground.example')
    .option('--key-type <type>', 'ed25519 or p256', 'ed25519')
    .option('--passport-lifetime <seconds>', 'how long a passport is valid', '3600')
    .option('--operator-token <file>', `file with the operator's token (default: ${OPERATOR_TOKEN_FILE})`)
    .option('--json', 'print the URL as JSON on stdout when the issuer is ready')
    .action((options: Options) => run(io, options.json === true, () => sandbox(io, options)));
}

async function sandbox(io: Io, options: Options): Promise<number> {
  const { issuerId, issuerUrl, keyType, passportLifetime } = options;
  const port = portNumber(options.port);
  if (!isAddress(issuerUrl)) throw new UsageError('--issuer-url takes an http(s) URL');
  if (keyType !== 'ed25519' && keyType !== 'p256') throw new UsageError('--key-type takes ed25519 or p256');
  if (!/^[1-9]\d{0,8}$/.test(passportLifetime)) {
    throw new UsageError('--passport-lifetime takes a number of seconds');
  }
  const token = operatorToken(options.operatorToken);
  // Imported on demand, because the other commands need no server.
  const { startSandbox } = await import('passport-registry/sandbox');
  const started = startSandbox({
    ...{ port, issuerId, issuerUrl, keyType, operatorToken: token },
    passportLifetime: Number(passportLifetime),
  });
  const { address, close } = await started.catch((cause: NodeJS.ErrnoException) => {
    if (cause.syscall === 'listen') throw cannotListen(port, cause);
    throw cause;
  });
  if (options.json) emit(io, { address, issuerId, issuerUrl });
  say(io, `sandbox issuer ${issuerId} at ${address}, known to the registry as ${issuerUrl}`);
  say(io, 'state          in memory, until this process ends');
  say(io, `operator token ${options.operatorToken ?? OPERATOR_TOKEN_FILE}`);
  say(io, 'It issues a passport to anyone who proves possession of a key: use it only for experiments.');
  await untilStopped((stop) => once(stop, 'abort'));
  await close();
  return 0;
}
