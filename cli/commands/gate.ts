import type { Command } from 'commander';
import { type Io, jsonLog } from '../terminal/io.js';
import { serveUntilStopped } from '../terminal/until-stopped.js';

/** `passport-registry gate` */
export function declareGate(command: Command, io: Io) {
  command
    .description('answer gateways such as nginx, which ask before each request whether to admit it')
    .argument('<file>', 'settings of the door, such as gate.yaml');
  return (file: string) => gate(io, file);
}

async function gate(io: Io, file: string): Promise<void> {
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
}
