import type { Command } from 'commander';
import { UsageError } from '../../generator/errors.js';
import { allLogs, type KnownLogs, namedLogs, registryLog } from '../../observers/witnessing/known-logs.js';
import { addOptions, JSON_OPTION, portOption } from '../options/common-options.js';
import { loadTrust, TRUST_OPTION } from '../options/trust-option.js';
import { assertAddresses } from '../options/values.js';
import { WITNESS_OPTIONS, type WitnessOptions, witnessChoice } from '../options/witness-options.js';
import { count, emit, type Io, say } from '../terminal/io.js';
import { serveUntilStopped } from '../terminal/until-stopped.js';

interface Options extends WitnessOptions {
  trustAnchor?: string;
  log?: readonly string[];
  host: string;
  port: number;
  json?: true;
}

/** `passport-registry witness` */
export function declareWitness(command: Command, io: Io) {
  command
    .argument('[url]', 'registry whose log to cosign; the root key names the key of the log')
    .addOption(TRUST_OPTION)
    .option('--log <vkey...>', 'cosign a log with this verifier key');
  addOptions(command, ...WITNESS_OPTIONS)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addOption(portOption(8790))
    .addOption(JSON_OPTION);
  return (registry: string | undefined, options: Options) => witness(io, registry, options);
}

async function witness(io: Io, registry: string | undefined, options: Options): Promise<void> {
  const { host, port } = options;
  const cosigner = await witnessChoice(io, options);
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
  await serveUntilStopped(startHttpServer(app, { host, port }, LIMITS), { port }, ({ address }) => {
    const { folder, key } = cosigner.state;
    const origins = [...new Set(logs.keys().map(({ name }) => name))];
    say(io, `witness ${key.name} at ${address}, its state in ${folder}`);
    say(io, `cosigns ${count(origins.length, 'log')}: ${origins.join(', ')}`);
    if (options.json) emit(io, { address, witness: key.name });
  }).finally(() => clearInterval(refreshing));
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
  { trustAnchor, log = [] }: Options,
): Promise<KnownLogs> {
  const places = [namedLogs(log)];
  if (registry !== undefined) {
    assertAddresses([registry]);
    if (trustAnchor === undefined)
      throw new UsageError(
        'the URL of a registry needs --trust-anchor, whose root key names the key of the log',
      );
    places.push(await registryLog(registry, (await loadTrust(io, trustAnchor)).rootKey));
  }
  const logs = allLogs(places);
  if (logs.keys().length > 0) return logs;
  throw new UsageError(
    'name the logs to cosign: the URL of a registry with --trust-anchor, or --log with a verifier key',
  );
}
