import type { Issuer } from '@passport-registry/verifier';
import { forEachConcurrent, parseStrictJson } from '@passport-registry/verifier/core';
import { checkMetadata } from './check-issuer.js';
import { GetFailed, type GetOptions, get } from './fetch-document.js';

/** The URL of an issuer, as its metadata named it when they were last asked for. */
interface KnownUrl {
  /** The URLs in the record by then. */
  readonly discovery_uri: string;
  readonly jwks_uri: string;
  /** The `iss` of its tokens. */
  readonly issuer: string;
  /** Milliseconds since 1970. */
  readonly checked: number;
}

/** The URLs of issuers, by id. */
export type KnownUrls = Readonly<Record<string, KnownUrl>>;

/** How to ask, and how long not to ask again. Times are in milliseconds. */
interface UrlOptions extends GetOptions {
  readonly concurrency: number;
  readonly now: number;
  readonly maxAge: number;
}

/** The URLs that are known, and why others are not. */
export interface FoundUrls {
  readonly urls: KnownUrls;
  readonly problems: readonly { readonly id: string; readonly message: string }[];
}

/**
 * Returns the URLs of issuers, which their records do not have: from what is known, or else from their metadata. If an issuer
 * cannot be asked again, its URL stays as known. An issuer whose metadata differ from its record loses its URL.
 */
export async function findIssuerUrls(
  issuers: readonly Issuer[],
  known: KnownUrls,
  options: UrlOptions,
): Promise<FoundUrls> {
  const urls: Record<string, KnownUrl> = {};
  const problems: { id: string; message: string }[] = [];
  await forEachConcurrent(issuers, options.concurrency, async (issuer) => {
    const id = issuer.issuer_id;
    const before = Object.hasOwn(known, id) ? known[id] : undefined;
    const fits = before?.discovery_uri === issuer.discovery_uri && before.jwks_uri === issuer.jwks_uri;
    const age = options.now - (before?.checked ?? Number.NEGATIVE_INFINITY);
    if (fits && age >= 0 && age < options.maxAge) {
      urls[id] = before;
      return;
    }
    try {
      urls[id] = await askForUrl(issuer, options);
    } catch (error) {
      // Metadata that cannot be fetched say nothing new.
      if (fits && error instanceof GetFailed) urls[id] = before;
      else problems.push({ id, message: (error as Error).message });
    }
  });
  return { urls, problems: problems.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** Reads the URL in the metadata of an issuer. Throws if they cannot be fetched, or differ from its record. */
async function askForUrl(issuer: Issuer, options: UrlOptions): Promise<KnownUrl> {
  const { discovery_uri, jwks_uri } = issuer;
  const { body } = await get(discovery_uri, options);
  const metadata = parseStrictJson(body);
  const [wrong] = checkMetadata(metadata, issuer);
  if (wrong !== undefined) throw new Error(wrong.message);
  const url = (metadata as { issuer: string }).issuer;
  return { discovery_uri, jwks_uri, issuer: url, checked: options.now };
}
