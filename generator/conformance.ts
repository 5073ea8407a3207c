import { sha256 } from './checksums.js';
import { expectedType } from './host-files.js';
import { PATHS } from './paths.js';
import { fetchFailed } from './tree-source.js';
import { UNKNOWN_ID } from './verify-steps.js';

/** What SPEC A1 asks of every host, or what serves browsers and caches well. */
export type Demand = 'required' | 'recommended';

/** What a host was asked, and what came of it. */
export interface Answered {
  readonly demand: Demand;
  /** What was looked at, such as `type` or `not listed`. */
  readonly check: string;
  /** The path below the registry's address. */
  readonly path: string;
  readonly result: 'passed' | 'failed';
  readonly found: string;
  /** What was expected, in words. */
  readonly expected: string;
}

/** How a host serves a registry. */
export interface ConformanceReport {
  /** Whether the host does all that is required. */
  readonly ok: boolean;
  readonly answers: readonly Answered[];
}

/** Longest wait for one answer, in milliseconds. */
const TIMEOUT = 30_000;
/** Caches may keep what changes with a publication for no longer, in seconds: a revocation must arrive within minutes. */
const LONGEST_CACHE = 300;
/** Seconds. */
const A_DAY = 24 * 60 * 60;
/** Below this there is nothing to be saved by compression, in bytes. */
const WORTH_COMPRESSING = 1400;

/** Ids that no registry has. The second has dots, of which hosts make types. */
const UNKNOWN_IDS = [UNKNOWN_ID, 'no-such-issuer.example.com'];

/**
 * Asks a live host for everything that SPEC A1 promises, and for what serves browsers and caches well. It looks at how the tree
 * is served; that it is the right one is for `verifyTree` to say.
 *
 * @param base - the address of the registry
 * @throws {@link IoFailed} when the host cannot be reached
 */
export async function checkConformance(base: string): Promise<ConformanceReport> {
  const host = new Host(base);
  const list = await host.get(PATHS.list);
  const ids = idsOf(list.text);
  const dotted = ids.find((id) => id.includes('.'));
  const records = [ids[0], dotted].flatMap((id) => (id === undefined ? [] : [PATHS.record(id)]));
  const files = [PATHS.list, PATHS.signature, PATHS.rootKey, ...new Set(records)];
  const optional = (await host.get(PATHS.checkpoint)).status === 200 ? [PATHS.checkpoint] : [];
  const answers: Answered[] = [];
  for (const path of [...files, ...optional]) answers.push(...(await servedRight(host, path)));
  answers.push(...(await cachedTogether(host, [PATHS.list, PATHS.signature, ...optional])));
  if (optional.length > 0) answers.push(await immutable(host, list.text));
  answers.push(await compressed(host, list));
  answers.push(await page(host));
  for (const id of UNKNOWN_IDS) answers.push(await unknown(host, PATHS.record(id)));
  for (const folder of ['issuers/', 'keys/', 'schemas/']) answers.push(await notListed(host, folder));
  return {
    ok: answers.every(({ demand, result }) => demand === 'recommended' || result === 'passed'),
    answers,
  };
}

function idsOf(list: string): string[] {
  try {
    const { issuers } = JSON.parse(list) as { issuers: { issuer_id: string }[] };
    return issuers.map(({ issuer_id }) => issuer_id);
  } catch {
    return [];
  }
}

/** An answer, as far as it is looked at. */
interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

class Host {
  readonly #root: string;
  readonly #seen = new Map<string, Promise<Response>>();

  constructor(base: string) {
    this.#root = base.endsWith('/') ? base : `${base}/`;
  }

  /** A plain GET, which is sent once for each path. */
  get(path: string): Promise<Response> {
    const seen = this.#seen.get(path) ?? this.ask(path, {});
    this.#seen.set(path, seen);
    return seen;
  }

  async ask(path: string, headers: Record<string, string>, method = 'GET'): Promise<Response> {
    const url = new URL(path, this.#root);
    try {
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        headers: { 'Accept-Encoding': 'identity', ...headers },
        signal: AbortSignal.timeout(TIMEOUT),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (cause) {
      throw fetchFailed(url, cause as Error);
    }
  }
}

function answered(
  demand: Demand,
  check: string,
  path: string,
  found: string | null,
  expected: string,
  good: boolean,
): Answered {
  return { demand, check, path, result: good ? 'passed' : 'failed', found: found ?? 'none', expected };
}

async function servedRight(host: Host, path: string): Promise<Answered[]> {
  const { status, headers, text } = await host.get(path);
  const location = headers.get('location');
  const said = `${status}${location === null ? '' : ` to ${location}`}`;
  const there = answered('required', 'status', path, said, '200', status === 200);
  if (status !== 200) return [there];
  const type = expectedType(path) ?? '';
  const served = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? null;
  const encoding = headers.get('content-encoding');
  const origin = headers.get('access-control-allow-origin');
  const sniff = headers.get('x-content-type-options');
  return [
    there,
    answered('required', 'type', path, served, type, served === type),
    answered('required', 'as it is', path, encoding, 'no encoding that was not asked for', encoding === null),
    answered('recommended', 'cross-origin', path, origin, '*', origin === '*'),
    answered('recommended', 'no sniffing', path, sniff, 'nosniff', sniff?.toLowerCase() === 'nosniff'),
    await sameHead(host, path, served, text),
    await conditional(host, path, headers),
  ];
}

async function sameHead(host: Host, path: string, type: string | null, body: string): Promise<Answered> {
  const { status, headers, text } = await host.ask(path, {}, 'HEAD');
  const length = headers.get('content-length');
  const headType = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? null;
  const sameLength = length === null || Number(length) === Buffer.byteLength(body);
  const good = status === 200 && text === '' && headType === type && sameLength;
  const found = `${status}, ${headType ?? 'no type'}, ${length ?? 'no'} length`;
  return answered('recommended', 'HEAD', path, found, 'the headers of GET, and no body', good);
}

async function conditional(host: Host, path: string, headers: Headers): Promise<Answered> {
  const etag = headers.get('etag');
  const modified = headers.get('last-modified');
  const expected = '304, without the file';
  const condition: Record<string, string> | undefined =
    etag !== null
      ? { 'If-None-Match': etag }
      : modified === null
        ? undefined
        : { 'If-Modified-Since': modified };
  if (condition === undefined) {
    return answered('recommended', 'conditional', path, 'neither ETag nor Last-Modified', expected, false);
  }
  const { status, text } = await host.ask(path, condition);
  return answered(
    'recommended',
    'conditional',
    path,
    String(status),
    expected,
    status === 304 && text === '',
  );
}

/** What changes together must also grow old together: short, and equally long. */
async function cachedTogether(host: Host, paths: readonly string[]): Promise<Answered[]> {
  const ages = await Promise.all(
    paths.map(async (path) => maxAge((await host.get(path)).headers.get('cache-control'))),
  );
  const expected = `max-age of at most ${LONGEST_CACHE}, and the same for ${paths.join(', ')}`;
  return paths.map((path, index) => {
    const age = ages[index];
    const good = age !== undefined && age <= LONGEST_CACHE && ages.every((other) => other === age);
    const found = age === undefined ? 'no max-age' : `max-age=${age}`;
    return answered('recommended', 'short cache', path, found, expected, good);
  });
}

/** A snapshot has its hash in its path, so that a cache may keep it for ever (SPEC B6). */
async function immutable(host: Host, list: string): Promise<Answered> {
  const path = PATHS.snapshot(sha256(Buffer.from(list)), PATHS.list);
  const { status, headers } = await host.get(path);
  const cache = status === 200 ? headers.get('cache-control') : String(status);
  const good = status === 200 && (maxAge(cache) ?? 0) >= A_DAY;
  return answered('recommended', 'long cache', path, cache, `max-age of at least ${A_DAY}`, good);
}

function maxAge(cacheControl: string | null): number | undefined {
  if (cacheControl === null) return undefined;
  if (/\bno-(?:cache|store)\b/i.test(cacheControl)) return 0;
  const text = /\bmax-age=(\d+)/i.exec(cacheControl)?.[1];
  return text === undefined ? undefined : Number(text);
}

async function compressed(host: Host, list: Response): Promise<Answered> {
  const { status, headers, text } = await host.ask(PATHS.list, { 'Accept-Encoding': 'gzip, br' });
  const encoding = headers.get('content-encoding');
  const small = Buffer.byteLength(list.text) < WORTH_COMPRESSING;
  const good = status === list.status && text === list.text && (small || encoding !== null);
  const found = small && encoding === null ? 'none; the list is short' : encoding;
  return answered('recommended', 'compression', PATHS.list, found, 'gzip or br, of the same list', good);
}

/** What people see at the address itself. */
async function page(host: Host): Promise<Answered> {
  const { status, headers } = await host.get('./');
  const type = headers.get('content-type') ?? 'no type';
  const good = status === 200 && /^text\/html\b/i.test(type);
  return answered('recommended', 'page', './', `${status}, ${type}`, '200, text/html', good);
}

async function unknown(host: Host, path: string): Promise<Answered> {
  const { status } = await host.get(path);
  return answered('required', 'unknown id', path, String(status), '404', status === 404);
}

/** A folder may be anything but a list of what is in it. */
async function notListed(host: Host, path: string): Promise<Answered> {
  const { status } = await host.get(path);
  return answered('recommended', 'not listed', path, String(status), 'no page', status !== 200);
}
