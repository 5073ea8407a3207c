import { sha256 } from '../tree/checksums.js';
import { expectedType } from '../tree/files.js';
import { PATHS } from '../tree/paths.js';
import { askHost, type HostAnswer, type HostRequest } from './ask-host.js';
import { UNKNOWN_ID } from './file-checks.js';
import { findLog, findSampleIds, findSums } from './sampled-files.js';

/** `required` of every host (rule host-responses), or `recommended` for browsers and caches. */
type Demand = 'required' | 'recommended';

/** The result of one check of a host. */
interface Answered {
  readonly demand: Demand;
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
const DAY_SECONDS = 24 * 60 * 60;
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
  const operations = (await host.has(PATHS.operations)) ? [PATHS.operations] : [];
  const checkpoint = hasCheckpoint ? [PATHS.checkpoint] : [];
  const optional = [...proof, ...log.changing, ...checkpoint, ...operations];
  const statementCopy = PATHS.snapshot(sha256(list.bytes), PATHS.publication);
  const copies = hasCheckpoint && (await host.has(statementCopy)) ? [statementCopy] : [];
  const answers: Answered[] = [];
  for (const path of [...files, ...optional, ...log.immutable])
    answers.push(...(await checkServing(host, path)));
  answers.push(...(await checkShortCache(host, [PATHS.list, PATHS.signature, ...optional, ...copies])));
  const snapshot = hasCheckpoint ? [PATHS.snapshot(sha256(list.bytes), PATHS.list)] : [];
  for (const path of [...snapshot, ...log.immutable]) answers.push(await checkLongCache(host, path));
  answers.push(await checkCompression(host, list));
  answers.push(await checkPage(host));
  for (const id of UNKNOWN_IDS) answers.push(await checkUnknownId(host, PATHS.record(id)));
  const folders = [
    ...['issuers/', 'keys/', 'schemas/'],
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

  async ask(path: string, request: HostRequest = {}): Promise<Answer> {
    const answer = await this.#request(path, request);
    const { status, headers, location } = answer;
    return { status, headers, location, bytes: await answer.body() };
  }

  /** Returns the status of the response, and discards the body. */
  async status(path: string): Promise<number> {
    const { status, discard } = await this.#request(path, {});
    await discard();
    return status;
  }

  #request(path: string, { method = 'GET', headers }: HostRequest): Promise<HostAnswer> {
    return askHost(this.#base, path, { method, headers: { 'Accept-Encoding': 'identity', ...headers } });
  }
}

/** A check of a host, without its result. */
type Question = Pick<Answered, 'demand' | 'check' | 'path' | 'expected'>;

const required = (check: string, path: string, expected: string): Question => ({
  demand: 'required',
  check,
  path,
  expected,
});

const recommended = (check: string, path: string, expected: string): Question => ({
  ...required(check, path, expected),
  demand: 'recommended',
});

function evaluate(
  { demand, check, path, expected }: Question,
  found: string | null,
  passed: boolean,
): Answered {
  return { demand, check, path, result: passed ? 'passed' : 'failed', found: found ?? 'none', expected };
}

async function checkServing(host: Host, path: string): Promise<Answered[]> {
  const { status, headers, location, bytes } = await host.get(path);
  const said = `${status}${location === undefined ? '' : ` to ${location}`}`;
  const statusResult = evaluate(required('status', path, '200'), said, status === 200);
  if (status !== 200) return [statusResult];
  const type = expectedType(path) ?? '';
  const served = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? null;
  const encoding = headers.get('content-encoding');
  const origin = headers.get('access-control-allow-origin');
  const sniff = headers.get('x-content-type-options');
  return [
    statusResult,
    evaluate(required('type', path, type), served, served === type),
    evaluate(required('as it is', path, 'no encoding that was not requested'), encoding, encoding === null),
    evaluate(recommended('cross-origin', path, '*'), origin, origin === '*'),
    evaluate(recommended('no sniffing', path, 'nosniff'), sniff, sniff?.toLowerCase() === 'nosniff'),
    await checkHead(host, path, { type: served, size: bytes.length }),
    await checkConditional(host, path, headers),
  ];
}

async function checkHead(
  host: Host,
  path: string,
  { type, size }: { readonly type: string | null; readonly size: number },
): Promise<Answered> {
  const { status, headers, bytes } = await host.ask(path, { method: 'HEAD' });
  const length = headers.get('content-length');
  const headType = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? null;
  const sameLength = length === null || Number(length) === size;
  const passed = status === 200 && bytes.length === 0 && headType === type && sameLength;
  const found = `${status}, ${headType ?? 'no type'}, ${length ?? 'no'} length`;
  return evaluate(recommended('HEAD', path, 'the headers of GET, and no body'), found, passed);
}

async function checkConditional(host: Host, path: string, headers: Headers): Promise<Answered> {
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
    return evaluate(recommended('conditional', path, expected), 'neither ETag nor Last-Modified', false);
  }
  const { status, bytes } = await host.ask(path, { headers: condition });
  const passed = status === 304 && bytes.length === 0;
  return evaluate(recommended('conditional', path, expected), String(status), passed);
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
    return evaluate(recommended('short cache', path, expected), found, passed);
  });
}

/**
 * Checks the cache time of a file that never changes, such as a snapshot, so that caches may keep it (rule snapshots,
 * rule log-files).
 */
async function checkLongCache(host: Host, path: string): Promise<Answered> {
  const { status, headers } = await host.get(path);
  const cache = status === 200 ? headers.get('cache-control') : String(status);
  const passed = status === 200 && (parseMaxAge(cache) ?? 0) >= DAY_SECONDS;
  return evaluate(recommended('long cache', path, `max-age of at least ${DAY_SECONDS}`), cache, passed);
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
  return evaluate(recommended('compression', PATHS.list, 'gzip or br, of the same list'), found, passed);
}

/** Checks the page at the URL of the registry. */
async function checkPage(host: Host): Promise<Answered> {
  const { status, headers } = await host.get('./');
  const type = headers.get('content-type') ?? 'no type';
  const passed = status === 200 && /^text\/html\b/i.test(type);
  return evaluate(recommended('page', './', '200, text/html'), `${status}, ${type}`, passed);
}

async function checkUnknownId(host: Host, path: string): Promise<Answered> {
  const status = await host.status(path);
  return evaluate(required('unknown id', path, '404'), String(status), status === 404);
}

/** The URL of a folder must not respond with a listing of the folder. */
async function checkNotListed(host: Host, path: string): Promise<Answered> {
  const status = await host.status(path);
  return evaluate(recommended('not listed', path, 'no page'), String(status), status !== 200);
}
