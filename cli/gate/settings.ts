import { dirname, resolve } from 'node:path';
import type { GatewayName } from '@passport-registry/verifier/gate';
import { UsageError } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import { validateGate } from '../../generator/generated/configuration-validator.js';
import { parseSettings } from '../options/settings-file.js';

/** What a request must prove: a passport, a passport with the proof of an action, or a token. */
export interface ProfileSettings {
  readonly action?: string;
  readonly token?: {
    readonly type: string;
    readonly max_age?: number;
    readonly algorithms?: readonly ('Ed25519' | 'ES256')[];
    readonly required_claims?: readonly string[];
    readonly issuer_id?: string;
  };
  readonly policy: string;
  readonly audience: string;
}

/** The content of gate.yaml, according to schemas/gate.schema.json, with absolute paths. Profiles are complete. */
export interface GateSettings {
  readonly gateway: GatewayName;
  readonly host: string;
  readonly port: number;
  readonly trust_anchor: string;
  readonly state?: string;
  /** Seconds. */
  readonly refresh?: number;
  readonly redis?: string;
  readonly connect?: Readonly<Record<string, string>>;
  readonly profiles: Readonly<Record<string, ProfileSettings>>;
}

/** The file as written. */
interface Written extends Omit<GateSettings, 'host' | 'port' | 'profiles'> {
  readonly listen?: string;
  readonly policy: string;
  readonly audience: string;
  readonly profiles: Readonly<Record<string, Partial<ProfileSettings>>>;
}

/**
 * Reads the settings of a door.
 *
 * @throws {@link ConfigurationRejected} | {@link UsageError} | {@link IoFailed}
 */
export function loadGateSettings(file: string): GateSettings {
  const written = parseSettings<Written>({ file, text: readText(file) }, validateGate);
  const { listen = '127.0.0.1:8181', policy, audience, profiles, trust_anchor, state, ...rest } = written;
  const absolute = (path: string) => resolve(dirname(file), path);
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(listen) ?? [];
  if (Number(port) > 65_535) throw new UsageError(`${file}: the port of listen is more than 65535`);
  const complete = Object.entries(profiles).map(([name, profile]) => [
    name,
    { audience, ...profile, policy: absolute(profile.policy ?? policy) },
  ]);
  return {
    ...{ ...rest, host: host.replace(/^\[|\]$/g, ''), port: Number(port) },
    trust_anchor: absolute(trust_anchor),
    ...(state !== undefined && { state: absolute(state) }),
    profiles: Object.fromEntries(complete),
  };
}
