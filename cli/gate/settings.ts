import { dirname, resolve } from 'node:path';
import { UsageError } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import { validateGate } from '../../generator/generated/configuration-validator.js';
import type { GateFile } from '../../generator/generated/settings.js';
import { parseSettings } from '../options/settings-file.js';

/** What a request must prove: a passport, a passport with the proof of an action, or a token. */
export type ProfileSettings = GateFile['profiles'][string] & Pick<GateFile, 'policy' | 'audience'>;

/** The content of gate.yaml, with absolute paths. Profiles are complete. */
export interface GateSettings extends Omit<GateFile, 'listen' | 'policy' | 'audience' | 'profiles'> {
  readonly host: string;
  readonly port: number;
  readonly profiles: Readonly<Record<string, ProfileSettings>>;
}

/**
 * Reads the settings of a door.
 *
 * @throws {@link ConfigurationRejected} | {@link UsageError} | {@link IoFailed}
 */
export function loadGateSettings(file: string): GateSettings {
  const written = parseSettings<GateFile>({ file, text: readText(file) }, validateGate);
  const { listen = '127.0.0.1:8181', policy, audience, profiles, trust_anchor, state, ...rest } = written;
  const absolute = (path: string) => resolve(dirname(file), path);
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(listen) ?? [];
  if (Number(port) > 65_535) throw new UsageError(`${file}: the port of listen is more than 65535`);
  const complete = Object.entries(profiles).map(([name, profile]) => [
    name,
    { audience, ...profile, policy: absolute(profile.policy ?? policy) },
  ]);
  return {
    ...rest,
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port),
    trust_anchor: absolute(trust_anchor),
    state: state && absolute(state),
    profiles: Object.fromEntries(complete),
  };
}
