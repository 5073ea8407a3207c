import {
  createPassportVerifier,
  type IssuerAccessOptions,
  type PassportVerifier,
  type TokenProfile,
} from '@passport-registry/passports';
import { createGate, GATEWAYS } from '@passport-registry/passports/gate';
import { connectTo, createRegistryClient, type RegistryEvent } from '@passport-registry/verifier';
import { fileStore } from '@passport-registry/verifier/node';
import { UsageError } from '../../generator/errors.js';
import { trustAnchorOf } from '../../generator/verification/pinned-trust.js';
import { loadTrust } from '../options/trust-option.js';
import { type HttpServer, startHttpServer } from '../terminal/http-server.js';
import type { Io, Log } from '../terminal/io.js';
import { appOf, type Parts } from './app.js';
import { createMetrics } from './metrics.js';
import { watchPolicies } from './policies.js';
import { openReplays } from './replay.js';
import type { GateSettings, ProfileSettings } from './settings.js';

/** Headers of a request at most: a passport and a proof of 16 KiB each, and those of the client. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Longer than gateways keep connections (nginx: 60 s), so that none sends a request into a connection that ends. */
const KEEP_ALIVE_MS = 75_000;

/**
 * Starts a door. Until the registry's list is there, and while it is not fresh, the door answers 503.
 *
 * @throws {@link UsageError} | {@link IoFailed} | {@link KeyRejected}; the error of the system if it cannot listen
 */
export async function startGate(settings: GateSettings, io: Io, log: Log): Promise<HttpServer> {
  const trust = await loadTrust(io, settings.trust_anchor);
  if (trust.sources.length === 0) {
    throw new UsageError(`${settings.trust_anchor} has no sources: make it with \`passport-registry pin\``);
  }
  const fetch = connectTo(settings.connect ?? {});
  const files = new Set(Object.values(settings.profiles).map(({ policy }) => policy));
  const policies = watchPolicies(files, log);
  const replays = openReplays(settings.redis, { env: io.env, log });
  const registry = createRegistryClient({
    trustAnchor: trustAnchorOf(trust),
    sources: trust.sources,
    // A list that is no longer fresh admits nobody.
    grace: 0,
    ...(settings.refresh !== undefined && { refreshInterval: settings.refresh }),
    ...(settings.state !== undefined && { store: fileStore(settings.state) }),
    onEvent: (event) => logEvent(log, event),
  });
  // The client asks again by itself.
  registry.ready().catch(() => undefined);
  const metrics = createMetrics({ registry, policies, isConnected: replays.isConnected });
  const gate = createGate({
    gateway: settings.gateway,
    profiles: profilesOf(settings, { registry, policies, replays, fetch }),
    onAnswer: (answer) => {
      metrics.count(answer);
      const { profile, status, error, message } = answer;
      if (error !== undefined) log('info', 'refused', { profile, status, error, message });
    },
  });
  sayLimits(settings, log);
  const app = appOf({ gate, registry, policies, replays, metrics, log });
  const release = () => {
    registry.close();
    policies.close();
    replays.close();
  };
  const limits = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
  const server = await startHttpServer(app, settings, limits).catch((error) => {
    release();
    throw error;
  });
  return { ...server, close: () => server.close().finally(release) };
}

/** Returns the profiles. Those with the same policy and audience share a verifier, and so what it knows of issuers. */
function profilesOf(
  settings: GateSettings,
  { registry, policies, replays, fetch }: Parts & { readonly fetch: typeof globalThis.fetch },
) {
  const { profiles } = settings;
  const keyOf = ({ policy, audience }: ProfileSettings) => JSON.stringify([policy, audience]);
  const all = Object.entries(profiles);
  const verifiers = new Map<string, PassportVerifier>();
  for (const [, profile] of all) {
    const key = keyOf(profile);
    if (verifiers.has(key)) continue;
    const sharing = all.filter(([, other]) => keyOf(other) === key);
    const { policy, audience } = profile;
    const verifier = createPassportVerifier({
      registry,
      audience,
      fetch,
      replayStore: replays.store,
      ...timesOf(settings),
      policy: () => policies.get(policy),
      tokenProfiles: Object.fromEntries(
        sharing.flatMap(([name, { token }]) => (token === undefined ? [] : [[name, tokenProfileOf(token)]])),
      ),
    });
    verifiers.set(key, verifier);
  }
  return Object.fromEntries(
    all.map(([name, profile]) => [
      name,
      {
        verifier: verifiers.get(keyOf(profile)) as PassportVerifier,
        ...(profile.action !== undefined && { action: profile.action }),
        ...(profile.token !== undefined && { token: name }),
      },
    ]),
  );
}

/** Returns the times of the verifiers, which have the names of the settings in the library. */
function timesOf(settings: GateSettings): IssuerAccessOptions {
  const { grace, status_max_age, metadata_max_age, clock_tolerance, cooldown, timeout } = settings;
  return {
    ...(grace !== undefined && { grace }),
    ...(status_max_age !== undefined && { statusMaxAge: status_max_age }),
    ...(metadata_max_age !== undefined && { metadataMaxAge: metadata_max_age }),
    ...(clock_tolerance !== undefined && { clockTolerance: clock_tolerance }),
    ...(cooldown !== undefined && { cooldown }),
    ...(timeout !== undefined && { timeout }),
  };
}

function tokenProfileOf(token: NonNullable<ProfileSettings['token']>): TokenProfile {
  const { type, max_age, algorithms, required_claims, issuer_id } = token;
  return {
    type,
    ...(max_age !== undefined && { maxAge: max_age }),
    ...(algorithms !== undefined && { algorithms }),
    ...(required_claims !== undefined && { requiredClaims: required_claims }),
    ...(issuer_id !== undefined && { issuerId: issuer_id }),
  };
}

/** Says which requests a door can never admit. */
function sayLimits({ gateway, profiles }: GateSettings, log: Log): void {
  const actions = Object.keys(profiles).filter((name) => profiles[name]?.action !== undefined);
  if (GATEWAYS[gateway].sendsBody || actions.length === 0) return;
  log('warning', 'bodies-refused', {
    profiles: actions,
    message: `${gateway} sends no bodies to the door: these profiles admit only GET, HEAD and DELETE, with the query as payload`,
  });
}

function logEvent(log: Log, event: RegistryEvent): void {
  const { type } = event;
  if (type === 'unchanged') return;
  if (!('error' in event)) {
    log('info', `registry-${type}`, { ...event, type: undefined });
    return;
  }
  const { code, message } = event.error as { code?: string; message?: string };
  const source = 'source' in event ? event.source : undefined;
  log(type === 'source-failed' ? 'warning' : 'error', `registry-${type}`, { source, code, message });
}
