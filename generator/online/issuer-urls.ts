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
    const asked = await askForUrl(issuer, options);
    if (asked.url !== undefined) urls[id] = asked.url;
    else if (fits && !asked.isWrong) urls[id] = before;
    else problems.push({ id, message: asked.message });
  });
  return { urls, problems: problems.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

type Asked =
  | { readonly url: KnownUrl }
  | { readonly url?: undefined; readonly message: string; readonly isWrong: boolean };

async function askForUrl(issuer: Issuer, options: UrlOptions): Promise<Asked> {
  const { discovery_uri, jwks_uri } = issuer;
  try {
    const { body } = await get(discovery_uri, options);
    const metadata = parseStrictJson(body);
    const [wrong] = checkMetadata(metadata, issuer);
    if (wrong !== undefined) return { message: wrong.message, isWrong: true };
    const url = (metadata as { issuer: string }).issuer;
    return { url: { discovery_uri, jwks_uri, issuer: url, checked: options.now } };
  } catch (error) {
    return { message: (error as Error).message, isWrong: !(error instanceof GetFailed) };
  }
}
