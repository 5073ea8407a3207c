import {
  bundlePath,
  DAY_MS,
  lastTiles,
  MAX_LEVELS,
  sumsPath,
  tilePath,
} from '@passport-registry/verifier/core';
import { LOG_FOLDER } from '../log/log-files.js';
import { sha256 } from '../tree/checksums.js';
import { expectedType } from '../tree/files.js';
import { PATHS } from '../tree/paths.js';
import { askHost, type HostAnswer, type HostRequest, statusOf } from './ask-host.js';
import { UNKNOWN_ID } from './file-checks.js';

/** The result of one check of a host. */
interface Answered {
  /** `required` of every host (rule host-responses), or `recommended` for browsers and caches. */
  readonly demand: 'required' | 'recommended';
  /** The name of the check, such as `type` or `not listed`. */
  readonly check: string;
  /** The path below the URL of the registry. */
  readonly path: string;
  readonly result: 'passed' | 'failed';
  readonly found: string;
  /** The expected result, in words. */
  readonly expected: string;
}

/** How a host serves a registry. */
export interface ConformanceReport {
  /** Whether the host meets all requirements. */
  readonly ok: boolean;
  readonly answers: readonly Answered[];
}

/** How long caches may keep files that change with each publication. A revocation must arrive within minutes. */
const MAX_CACHE_SECONDS = 300;
/** How long caches may keep files that never change, at least. */
const LONG_CACHE_SECONDS = DAY_MS / 1000;
/** Compression of a smaller file saves nothing. */
const MIN_COMPRESSIBLE_BYTES = 1400;

/** Ids that no registry has. The second contains dots, which hosts may take for a file extension. */
const UNKNOWN_IDS = [UNKNOWN_ID, 'no-such-issuer.example.com'];

/**
 * Checks how a live host serves a tree: what is required (rule host-responses, rule content-types), and what is
 * recommended for browsers and caches. The content of the tree is not verified; use `verifyTree` for that.
 *
 * @param base - the URL of the registry
 * @throws {@link IoFailed} if the host cannot be reached
 */
export async function checkConformance(base: string): Promise<ConformanceReport> {
  const host = new Host(base);
  const list = await host.get(PATHS.list);
  const records = findSampleIds(list.bytes).map(PATHS.record);
  const files = [PATHS.list, PATHS.signature, PATHS.rootKey, ...new Set(records)];
  const hasCheckpoint = await host.has(PATHS.checkpoint);
  const proof = (await host.has(PATHS.publication)) ? [PATHS.publication, ...(await findSums(host))] : [];
  const log = await findLog(host);
  const checkpoint = hasCheckpoint ? [PATHS.checkpoint] : [];
  const optional = [...proof, ...log.changing, ...checkpoint];
  const answers: Answered[] = [];
  const immutable = [PATHS.namedList(sha256(list.bytes)), ...log.immutable];
  for (const path of [...files, ...optional, ...immutable]) answers.push(...(await checkServing(host, path)));
  answers.push(...(await checkShortCache(host, [PATHS.list, PATHS.signature, ...optional])));
  for (const path of immutable) answers.push(await checkLongCache(host, path));
  answers.push(await checkCompression(host, list));
  answers.push(await checkPage(host));
  for (const id of UNKNOWN_IDS) answers.push(await checkUnknownId(host, PATHS.record(id)));
  const folders = [
    ...['issuers/', 'keys/', 'lists/', 'schemas/'],
    ...(proof.length > 0 ? ['sums/'] : []),
    ...(log.changing.length > 0 ? ['log/'] : []),
  ];
  for (const folder of folders) answers.push(await checkNotListed(host, folder));
  return {
    ok: answers.every(({ demand, result }) => demand === 'recommended' || result === 'passed'),
    answers,
  };
}

/** A response with its body. */
interface Answer extends Pick<HostAnswer, 'status' | 'headers' | 'location'> {
  readonly bytes: Uint8Array;
}

class Host {
  readonly #base: string;
  readonly #seen = new Map<string, Promise<Answer>>();

  constructor(base: string) {
    this.#base = base;
  }

  /** Sends a plain GET, at most once for each path. */
  get(path: string): Promise<Answer> {
    const seen = this.#seen.get(path) ?? this.ask(path);
    this.#seen.set(path, seen);
    return seen;
  }

  async has(path: string): Promise<boolean> {
    return (await this.get(path)).status === 200;
  }

  ask(path: string, request: HostRequest = {}): Promise<Answer> {
    return this.#request(path, request, async (answer) => {
      const { status, headers, location } = answer;
      return { status, headers, location, bytes: await answer.body() };
    });
  }

  /** Returns the status of the response, and discards the body. */
  status(path: string): Promise<number> {
    return this.#request(path, {}, statusOf);
  }

  #request<T>(
    path: string,
    { method = 'GET', headers }: HostRequest,
    read: (answer: HostAnswer) => Promise<T>,
  ): Promise<T> {
    return askHost(this.#base, path, {
      method,
      headers: { 'Accept-Encoding': 'identity', ...headers },
      read,
    });
  }
}

/**
 * Returns the first id of a list, and the first id with a dot, because hosts may take a dot for the start of a file
 * extension. The list has not been verified, so it is not parsed.
 */
function findSampleIds(list: Uint8Array): string[] {
  const text = Buffer.from(list).toString('latin1');
  const forms = [
    /"issuer_id":"([a-z0-9._-]{1,128})"/,
    /"issuer_id":"([a-z0-9_-]{0,127}\.[a-z0-9._-]{0,127})"/,
  ];
  return forms.flatMap((form) => form.exec(text)?.[1] ?? []);
}

/**
 * Returns the root of the tree of sums, and the files below it down to one leaf. The files have not been verified, so
 * they are not parsed.
 */
async function findSums(host: Host): Promise<string[]> {
  const found: string[] = [];
  for (let path: string | undefined = sumsPath(''); path !== undefined && found.length <= MAX_LEVELS; ) {
    found.push(path);
    const text: string = Buffer.from((await host.get(path)).bytes).toString('latin1');
    path = /^[0-9a-f]{64} {2}(sums\/[0-9a-f]{1,8})$/m.exec(text)?.[1];
  }
  return found;
}

/**
 * Returns a file of each kind that a log has, as far as the host has one. The files have not been verified, so they are not
 * parsed.
 */
async function findLog(host: Host) {
  const text = async (path: string) => Buffer.from((await host.get(path)).bytes).toString('latin1');
  const [, size] = /^[^\n]+\n([1-9][0-9]{0,14})\n/.exec(await text(PATHS.logHead)) ?? [];
  if (size === undefined) return { changing: [], immutable: [] };
  const changing = [PATHS.logHead, PATHS.logProof];
  const tiles = lastTiles(Number(size))
    .slice(0, 1)
    .flatMap((place) => [tilePath(place), bundlePath(place)].map((path) => `${LOG_FOLDER}${path}`));
  return { changing, immutable: [...tiles, PATHS.loggedStatement(Number(size) - 1)] };
}

/** The checks that every host must pass. */
const REQUIRED: readonly string[] = ['status', 'type', 'as it is', 'unknown id'];

/** What a host did, and what it should do. */
type Outcome = Pick<Answered, 'expected'> & { readonly found: string | null; readonly passed: boolean };

function evaluate(check: string, path: string, { expected, found, passed }: Outcome): Answered {
  const demand = REQUIRED.includes(check) ? 'required' : 'recommended';
  return { demand, check, path, result: passed ? 'passed' : 'failed', found: found ?? 'none', expected };
}

async function checkServing(host: Host, path: string): Promise<Answered[]> {
  const { status, headers, location, bytes } = await host.get(path);
  const answer = (check: string, outcome: Outcome) => evaluate(check, path, outcome);
  const said = `${status}${location === undefined ? '' : ` to ${location}`}`;
  const statusResult = answer('status', { expected: '200', found: said, passed: status === 200 });
  if (status !== 200) return [statusResult];
  const type = expectedType(path) ?? '';
  const served = typeOf(headers);
  const encoding = headers.get('content-encoding');
  const unencoded = 'no encoding that was not requested';
  const origin = headers.get('access-control-allow-origin');
  const sniff = headers.get('x-content-type-options');
  return [
    statusResult,
    answer('type', { expected: type, found: served, passed: served === type }),
    answer('as it is', { expected: unencoded, found: encoding, passed: encoding === null }),
    answer('cross-origin', { expected: '*', found: origin, passed: origin === '*' }),
    answer('no sniffing', {
      expected: 'nosniff',
      found: sniff,
      passed: sniff?.toLowerCase() === 'nosniff',
    }),
    await checkHead(host, path, { type: served, size: bytes.length }),
    await checkConditional(host, path, headers),
  ];
}

/** The content type of a response, without its parameters. */
const typeOf = (headers: Headers) => headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? null;

async function checkHead(
  host: Host,
  path: string,
  { type, size }: { readonly type: string | null; readonly size: number },
): Promise<Answered> {
  const { status, headers, bytes } = await host.ask(path, { method: 'HEAD' });
  const length = headers.get('content-length');
  const headType = typeOf(headers);
  const sameLength = length === null || Number(length) === size;
  const passed = status === 200 && bytes.length === 0 && headType === type && sameLength;
  const found = `${status}, ${headType ?? 'no type'}, ${length ?? 'no'} length`;
  return evaluate('HEAD', path, { expected: 'the headers of GET, and no body', found, passed });
}

async function checkConditional(host: Host, path: string, headers: Headers): Promise<Answered> {
  const [etag, modified] = [headers.get('etag'), headers.get('last-modified')];
  const expected = '304, without the file';
  if (etag === null && modified === null) {
    const found = 'neither ETag nor Last-Modified';
    return evaluate('conditional', path, { expected, found, passed: false });
  }
  const condition: Record<string, string> =
    etag === null ? { 'If-Modified-Since': modified ?? '' } : { 'If-None-Match': etag };
  const { status, bytes } = await host.ask(path, { headers: condition });
  const passed = status === 304 && bytes.length === 0;
  return evaluate('conditional', path, { expected, found: String(status), passed });
}

/** Files that change together must be cached for the same short time. */
async function checkShortCache(host: Host, paths: readonly string[]): Promise<Answered[]> {
  const ages = await Promise.all(
    paths.map(async (path) => parseMaxAge((await host.get(path)).headers.get('cache-control'))),
  );
  const expected = `max-age of at most ${MAX_CACHE_SECONDS}, and the same for ${paths.join(', ')}`;
  return paths.map((path, index) => {
    const age = ages[index];
    const passed = age !== undefined && age <= MAX_CACHE_SECONDS && ages.every((other) => other === age);
    const found = age === undefined ? 'no max-age' : `max-age=${age}`;
    return evaluate('short cache', path, { expected, found, passed });
  });
}

/**
 * Checks the cache time of a file that never changes, so that caches may keep it (rules lists, log-files).
 */
async function checkLongCache(host: Host, path: string): Promise<Answered> {
  const { status, headers } = await host.get(path);
  const found = status === 200 ? headers.get('cache-control') : String(status);
  const passed = status === 200 && (parseMaxAge(found) ?? 0) >= LONG_CACHE_SECONDS;
  return evaluate('long cache', path, {
    expected: `max-age of at least ${LONG_CACHE_SECONDS}`,
    found,
    passed,
  });
}

function parseMaxAge(cacheControl: string | null): number | undefined {
  if (cacheControl === null) return undefined;
  if (/\bno-(?:cache|store)\b/i.test(cacheControl)) return 0;
  const text = /\bmax-age=(\d+)/i.exec(cacheControl)?.[1];
  return text === undefined ? undefined : Number(text);
}

async function checkCompression(host: Host, list: Answer): Promise<Answered> {
  const { status, headers, bytes } = await host.ask(PATHS.list, {
    headers: { 'Accept-Encoding': 'gzip, br' },
  });
  const encoding = headers.get('content-encoding');
  const small = list.bytes.length < MIN_COMPRESSIBLE_BYTES;
  const passed =
    status === list.status && sha256(bytes) === sha256(list.bytes) && (small || encoding !== null);
  const found = small && encoding === null ? 'none; the list is short' : encoding;
  return evaluate('compression', PATHS.list, { expected: 'gzip or br, of the same list', found, passed });
}

/** Checks the page at the URL of the registry. */
async function checkPage(host: Host): Promise<Answered> {
  const { status, headers } = await host.get('./');
  const type = headers.get('content-type') ?? 'no type';
  const passed = status === 200 && /^text\/html\b/i.test(type);
  return evaluate('page', './', { expected: '200, text/html', found: `${status}, ${type}`, passed });
}

async function checkUnknownId(host: Host, path: string): Promise<Answered> {
  const status = await host.status(path);
  return evaluate('unknown id', path, { expected: '404', found: String(status), passed: status === 404 });
}

/** The URL of a folder must not respond with a listing of the folder. */
async function checkNotListed(host: Host, path: string): Promise<Answered> {
  const status = await host.status(path);
  return evaluate('not listed', path, { expected: 'no page', found: String(status), passed: status !== 200 });
}
