import type { Command } from 'commander';
import { UsageError } from '../../generator/errors.js';
import { jsonLog } from '../gate/log.js';
import type { Invocation } from '../terminal/io.js';
import { run } from '../terminal/run.js';
import { serveUntilStopped } from '../terminal/until-stopped.js';

/** `passport-registry serve gate` */
export function declareGate(command: Command, io: Invocation): void {
  command
    .description('answer gateways such as nginx, which ask before each request whether to admit it')
    .option('--config <file>', 'settings of the door, such as gate.yaml')
    // The option of the program takes precedence.
    .action((_own: object, command: Command) =>
      run(io, false, () => serveGate(io, command.optsWithGlobals()['config'])),
    );
}

async function serveGate(io: Invocation, file: string | undefined): Promise<number> {
  if (file === undefined)
    throw new UsageError('serve gate needs --config with its settings, such as gate.yaml');
  // Imported on demand, because the other commands need no server.
  const [{ loadGateSettings }, { startGate }] = await Promise.all([
    import('../gate/settings.js'),
    import('../gate/start-gate.js'),
  ]);
  const settings = loadGateSettings(file);
  const log = jsonLog(io);
  const { port, gateway, profiles } = settings;
  const started = startGate(settings, io, log).then(({ address, close }) => ({
    address,
    close: () => {
      log('info', 'stopping');
      return close();
    },
  }));
  await serveUntilStopped(started, { port, setting: 'listen' }, ({ address }) =>
    log('info', 'listening', { address, gateway, profiles: Object.keys(profiles) }),
  );
  return 0;
}
