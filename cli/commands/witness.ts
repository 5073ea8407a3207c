import type { Command } from 'commander';
import { UsageError } from '../../generator/errors.js';
import type { Cosigner } from '../../observers/witnessing/cosign-head.js';
import { allLogs, type KnownLogs, namedLogs, registryLog } from '../../observers/witnessing/known-logs.js';
import { addOptions } from '../options/add-options.js';
import { loadTrust, TRUST_OPTION } from '../options/trust-option.js';
import { portNumber } from '../options/values.js';
import { assertAddresses } from '../options/where.js';
import { WITNESS_OPTIONS, type WitnessOptions, witnessChoice } from '../options/witness-options.js';
import type { Invocation, Io } from '../terminal/io.js';
import { count, emit, say } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { serveUntilStopped } from '../terminal/until-stopped.js';
import { movedOption } from './old-names.js';

interface Options extends WitnessOptions {
  rootKey?: string;
  log?: readonly string[];
  host: string;
  port: string;
  json?: true;
}

/** `passport-registry witness` */
export function declareWitness(command: Command, io: Invocation): void {
  command
    .description('run the HTTP service of a witness, which cosigns heads of logs that only grow')
    .argument('[url]', 'registry whose log to cosign; the root key names the key of the log')
    .addOption(TRUST_OPTION)
    .addOption(movedOption('--registry <url>', 'witness --registry', 'witness URL'))
    .option('--log <vkey...>', 'cosign a log with this verifier key; several keys can belong to one log');
  addOptions(command, ...WITNESS_OPTIONS)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on', '8790')
    .option('--json', 'print the URL as JSON on stdout when the witness is ready')
    .action((registry: string | undefined, options: Options) =>
      run(io, options.json === true, () => witness(io, registry, options)),
    );
}

async function witness(io: Io, registry: string | undefined, options: Options): Promise<number> {
  const port = portNumber(options.port);
  const cosigner = await witnessChoice(io, options);
  if (cosigner === undefined) {
    throw new UsageError('`witness` needs --witness-key and --witness-state: see `keys witness --help`');
  }
  const logs = await knownLogs(io, registry, options);
  // Imported on demand, because the other commands need no server.
  const [{ witnessApp }, { startHttpServer }] = await Promise.all([
    import('../../observers/witnessing/app.js'),
    import('../terminal/http-server.js'),
  ]);
  const report = (line: string) => say(io, `${new Date().toISOString()} ${line}`);
  const app = witnessApp({ cosigner, logs, report });
  const refresh = () =>
    logs.refresh().catch(({ message }: Error) => report(`the key of the log cannot be read: ${message}`));
  const refreshing = setInterval(refresh, REFRESH_MS);
  await serveUntilStopped(
    startHttpServer(app, { host: options.host, port }, LIMITS),
    { port },
    ({ address }) => {
      sayStarted(io, { cosigner, logs }, address);
      if (options.json) emit(io, { address, witness: cosigner.state.key.name });
    },
  ).finally(() => clearInterval(refreshing));
  return 0;
}

/** The limits for clients. A request is small, so whoever needs longer is no log. */
const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  maxConnections: 1000,
};
/** How often the key of the log is read again, in milliseconds, so that a key that has been replaced stops counting. */
const REFRESH_MS = 5 * 60_000;

async function knownLogs(
  io: Io,
  registry: string | undefined,
  { rootKey, log = [] }: Options,
): Promise<KnownLogs> {
  const places = [namedLogs(log)];
  if (registry !== undefined) {
    assertAddresses([registry]);
    if (rootKey === undefined)
      throw new UsageError('the URL of a registry needs --root-key: its trust anchor');
    places.push(await registryLog(registry, (await loadTrust(io, rootKey)).rootKey));
  }
  const logs = allLogs(places);
  if (logs.keys().length > 0) return logs;
  throw new UsageError(
    'name the logs to cosign: the URL of a registry with --root-key, or --log with a verifier key',
  );
}

function sayStarted(
  io: Io,
  { cosigner, logs }: { readonly cosigner: Cosigner; readonly logs: KnownLogs },
  address: string,
): void {
  const { folder, key } = cosigner.state;
  const origins = [...new Set(logs.keys().map(({ name }) => name))];
  say(io, `witness ${key.name} at ${address}, its state in ${folder}`);
  say(io, `cosigns ${count(origins.length, 'log')}: ${origins.join(', ')}`);
}
