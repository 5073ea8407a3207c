import { existsSync } from 'node:fs';
import {
  createRegistryClient,
  type Issuer,
  type RegistryClient,
  type TrustPolicy,
} from '@passport-registry/verifier';
import { DAY_MS, isObject } from '@passport-registry/verifier/core';
import { UsageError } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import type { FoundUrls, KnownUrls } from '../../generator/online/issuer-urls.js';
import { parseJson } from '../../generator/signing/key-file.js';
import { type PinnedTrust, trustAnchorOf } from '../../generator/verification/pinned-trust.js';
import { assertAddresses } from '../options/values.js';
import { count, emit, type Io, say } from '../terminal/io.js';

/** The formats of `resolve --all`. */
export const PROVIDER_FORMATS = ['json', 'envoy', 'istio'] as const;

/** What `resolve --all` needs. */
export interface AllOptions {
  readonly policy: TrustPolicy;
  readonly trust: PinnedTrust;
  readonly sources: readonly string[];
  /** Seconds. */
  readonly maxAge: number;
  readonly format: (typeof PROVIDER_FORMATS)[number];
  readonly audience: readonly string[];
  readonly cache: string | undefined;
}

/** A trusted issuer whose tokens a gateway can verify. */
interface Provider {
  readonly issuer_id: string;
  readonly tier: Issuer['tier'];
  /** The `iss` of its tokens. */
  readonly issuer: string;
  readonly jwks_uri: string;
}

/** The providers of a policy, by the list of a registry. */
interface Providers {
  readonly updated_at: string;
  readonly sha256: string;
  /** When the list is no longer fresh: write the providers anew before. */
  readonly valid_until: string;
  readonly providers: readonly Provider[];
}

const ASKING = { timeout: 10, allowPrivate: false, concurrency: 16, maxAge: DAY_MS };

/** Prints the issuers that a policy accepts, as a list of providers for gateways that verify tokens themselves. */
export async function resolveAll(io: Io, options: AllOptions): Promise<number> {
  const { policy, trust, sources, maxAge, format, audience, cache } = options;
  assertAddresses(sources);
  if (format !== 'json' && audience.length === 0) {
    throw new UsageError(
      `--format ${format} needs --audience: without it, tokens for others would be accepted`,
    );
  }
  const client = createRegistryClient({ trustAnchor: trustAnchorOf(trust), sources, maxAge });
  try {
    await client.ready();
    const accepted = client.list().filter((issuer) => client.decide(issuer, policy).accepted);
    const found = await urlsOf(accepted, cache);
    const providers = providersOf(client, accepted, found);
    emit(io, FORMATS[format](providers, audience));
    for (const { id, message } of found.problems) say(io, `${id} is left out: ${message}`);
    say(io, `${count(providers.providers.length, 'issuer')}, valid until ${providers.valid_until}`);
    return 0;
  } finally {
    client.close();
  }
}

/** Returns the URLs of issuers. Those that were asked for within a day come from the cache. */
async function urlsOf(issuers: readonly Issuer[], cache: string | undefined): Promise<FoundUrls> {
  // Imported on demand: the modules of Node.js for these requests load slowly.
  const { findIssuerUrls } = await import('../../generator/online/issuer-urls.js');
  const known = readCache(cache);
  const found = await findIssuerUrls(issuers, known, { ...ASKING, now: Date.now() });
  if (cache !== undefined) {
    // Policies can share a cache: what only another one needs stays.
    const asked = new Set(issuers.map(({ issuer_id }) => issuer_id));
    const others = Object.entries(known).filter(([id]) => !asked.has(id));
    writeWholeFile(cache, `${JSON.stringify({ ...Object.fromEntries(others), ...found.urls })}\n`);
  }
  return found;
}

function readCache(cache: string | undefined): KnownUrls {
  if (cache === undefined || !existsSync(cache)) return {};
  const known = parseJson(readText(cache));
  if (isObject(known) && Object.values(known).every(isObject)) return known as KnownUrls;
  throw new UsageError(`${cache} is not a cache of --cache: remove it`);
}

function providersOf(client: RegistryClient, accepted: readonly Issuer[], { urls }: FoundUrls): Providers {
  const { updatedAt: updated_at, sha256 } = client;
  const { freshUntil } = client.status();
  const providers = accepted.flatMap(({ issuer_id, tier, jwks_uri }) => {
    const known = urls[issuer_id];
    return known === undefined ? [] : [{ issuer_id, tier, issuer: known.issuer, jwks_uri }];
  });
  return { updated_at, sha256, valid_until: freshUntil?.toISOString() ?? updated_at, providers };
}

/** The name of a provider without keys, whose tokens nobody can sign. Without it, Envoy would let in everybody. */
const NOBODY = 'nobody';

/** Requires a token of one of the providers. Envoy takes a list of two or more. */
function anyOf(providers: readonly Provider[]): object {
  const [first = { provider_name: NOBODY }, ...others] = providers.map(({ issuer_id }) => ({
    provider_name: issuer_id,
  }));
  return others.length === 0 ? first : { requires_any: { requirements: [first, ...others] } };
}

const FORMATS: Readonly<
  Record<AllOptions['format'], (providers: Providers, audience: readonly string[]) => object>
> = {
  json: (providers) => providers,
  envoy: ({ valid_until, providers }, audiences) => ({
    valid_until,
    jwt_authn: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication',
      providers: Object.fromEntries([
        ...(providers.length === 0 ? [[NOBODY, { local_jwks: { inline_string: '{"keys":[]}' } }]] : []),
        ...providers.map(({ issuer_id, issuer, jwks_uri }) => [
          issuer_id,
          {
            issuer,
            audiences,
            // Without this, Envoy accepts a token that never expires.
            require_expiration: true,
            forward: true,
            remote_jwks: {
              http_uri: { uri: jwks_uri, cluster: clusterOf(jwks_uri), timeout: '5s' },
              cache_duration: '300s',
            },
          },
        ]),
      ]),
      rules: [{ match: { prefix: '/' }, requires: anyOf(providers) }],
    },
    clusters: [
      ...new Map(providers.map(({ jwks_uri }) => [clusterOf(jwks_uri), cluster(jwks_uri)])).values(),
    ],
  }),
  istio: ({ valid_until, providers }, audiences) => ({
    apiVersion: 'security.istio.io/v1',
    kind: 'RequestAuthentication',
    metadata: { name: 'passport-issuers', annotations: { 'passport-registry/valid-until': valid_until } },
    spec: {
      jwtRules: providers.map(({ issuer, jwks_uri }) => ({
        ...{ issuer, jwksUri: jwks_uri, audiences, forwardOriginalToken: true },
      })),
    },
  }),
};

/** Names the cluster of a URL's host. */
function clusterOf(url: string): string {
  return `passport_${new URL(url).host}`;
}

/** Describes the cluster of a URL's host. The certificate must name the host. */
function cluster(url: string): object {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === 'https:';
  const address = { socket_address: { address: hostname, port_value: Number(port || (isTls ? 443 : 80)) } };
  const name = clusterOf(url);
  const tls = {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
      sni: hostname,
      common_tls_context: {
        validation_context: {
          trusted_ca: { filename: '/etc/ssl/certs/ca-certificates.crt' },
          match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: hostname } }],
        },
      },
    },
  };
  return {
    name,
    type: 'STRICT_DNS',
    connect_timeout: '5s',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
    ...(isTls && { transport_socket: tls }),
  };
}
