import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import {
  encodeBase64,
  formatNote,
  type NoteKey,
  newestCosignatures,
  parseHead,
  parseNoteKey,
  parseSignatureLines,
} from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectCommandError } from '../../support/expect-command-error.js';
import { generatePair, invalid, noteSigner } from '../../support/note-keys.js';
import { namedEntries, ORIGIN, type TestLog, testLog } from '../../support/test-log.js';
import { until } from '../../support/until.js';
import {
  newWitness,
  post,
  requestBody,
  startWitness,
  type WitnessFiles,
  type WitnessProcess,
} from '../../support/witness-service.js';
import { cli } from '../../support/workspace.js';

const HASH = createHash('sha256').update(ORIGIN).digest('hex');
const ANY_TIME = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

const pair = generatePair();
let mainLog: TestLog;
let files: WitnessFiles;
let witness: WitnessProcess;
let key: NoteKey;

/** A log of its own, which the shared witness knows and no other test uses. */
interface OwnLog {
  readonly log: TestLog;
  /** Has the same key, the first five entries, and then others. */
  readonly fork: TestLog;
  /** The URL of the head that the witness has cosigned. */
  readonly served: () => Promise<Response>;
}

const OWN_LOGS = ['first', 'strangers', 'lines', 'refused', 'forked'] as const;
const own = new Map<string, OwnLog>();
const ownLog = (name: (typeof OWN_LOGS)[number]) => own.get(name) as OwnLog;

function newLog(origin: string): OwnLog {
  const hash = createHash('sha256').update(origin).digest('hex');
  return {
    log: testLog(pair, namedEntries('a', 70), origin),
    fork: testLog(pair, [...namedEntries('a', 5), ...namedEntries('b', 65)], origin),
    served: () => fetch(`${witness.url}/${hash}/checkpoint`),
  };
}

/** The request to cosign a size of a log, with the right proof. */
async function asking(oldSize: number, size: number, history = mainLog): Promise<string> {
  return requestBody(oldSize, await history.consistency(oldSize, size), await history.note({ size }));
}

/** The status, the content type and the text of the response to a body. */
async function answerTo(body: NonNullable<RequestInit['body']>, url = witness.url) {
  const response = await post(url, body);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

beforeAll(async () => {
  mainLog = newLog(ORIGIN).log;
  for (const name of OWN_LOGS) own.set(name, newLog(`${name}.example/log`));
  files = await newWitness();
  key = parseNoteKey(files.vkey, 'witness', invalid);
  const vkeys = [mainLog, ...[...own.values()].map(({ log }) => log)].map(({ vkey }) => vkey);
  witness = await startWitness(files, '--log', ...vkeys);
});

describe('the service of a witness', () => {
  it('cosigns, names the size that it has, and serves the newest head', async () => {
    const { log, served } = ownLog('first');
    expect((await served()).status).toBe(404);
    expect(await answerTo(await asking(3, 7, log))).toEqual({
      status: 409,
      type: 'text/x.tlog.size',
      text: '0\n',
    });
    const first = await answerTo(await asking(0, 7, log));
    expect([first.status, first.type]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await answerTo(await asking(0, 9, log))).toEqual({
      status: 409,
      type: 'text/x.tlog.size',
      text: '7\n',
    });
    expect((await answerTo(await asking(7, 9, log))).status).toBe(200);
    const again = await answerTo(await asking(9, 9, log));
    expect(again.status).toBe(200);
    const found = await served();
    expect(found.status).toBe(200);
    expect(await found.text()).toBe((await log.note({ size: 9 })) + again.text);
  });

  it('returns a valid cosignature, and one line only', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    await answerTo(await asking(0, 1));
    const { text } = await answerTo(await asking(1, 1));
    const signatures = parseSignatureLines(text, invalid);
    expect(signatures.map(({ name }) => name)).toEqual(['witness.example/w1']);
    const note = { text: (await mainLog.head({ size: 1 })).note.text, signatures };
    const [valid] = await newestCosignatures(note, { witnesses: [key], quorum: 1, ...ANY_TIME });
    expect(valid?.time).toBeGreaterThanOrEqual(before);
    expect(valid?.time).toBeLessThanOrEqual(Date.now());
  });

  it('ignores the signatures of strangers, also by a key with the name of the log', async () => {
    const { log, served } = ownLog('strangers');
    const stranger = await log.head({ size: 2, signer: noteSigner(log.origin, 'log') });
    const { note } = await log.head({ size: 2 });
    const lines = formatNote({ ...note, signatures: [...stranger.note.signatures, ...note.signatures] });
    expect((await answerTo(requestBody(0, [], lines))).status).toBe(200);
    expect(await (await served()).text()).not.toContain(
      formatNote({ text: '', signatures: stranger.note.signatures }).trim(),
    );
  });

  it('signs the lines that a log adds to its heads, too', async () => {
    const { log, served } = ownLog('lines');
    const { note, ...head } = await log.head({ size: 4 });
    const text = `${note.text}extension 1\nextension 2\n`;
    const [own] = note.signatures;
    const signature = log.signer.sign(text);
    const signed = formatNote({ text, signatures: own === undefined ? [] : [{ ...own, signature }] });
    const answer = await answerTo(requestBody(0, [], signed));
    expect(answer.status).toBe(200);
    expect(parseHead(signed, invalid).root).toEqual(head.root);
    const found = parseHead(await (await served()).text(), invalid);
    expect(found.note.text).toBe(text);
  });

  it('ends at a signal with exit code 0, and continues from its state', async () => {
    const files = await newWitness();
    const first = await startWitness(files, '--log', mainLog.vkey);
    expect((await answerTo(await asking(0, 7), first.url)).status).toBe(200);
    expect(await first.end('SIGTERM')).toBe(0);
    const second = await startWitness(files, '--log', mainLog.vkey);
    expect((await answerTo(await asking(0, 8), second.url)).text).toBe('7\n');
    expect((await answerTo(await asking(7, 8), second.url)).status).toBe(200);
    expect(await second.end('SIGINT')).toBe(0);
  });
});

describe('the service refuses', () => {
  const hashes = (count: number) => Array.from({ length: count }, (_one, at) => Buffer.alloc(32, at));

  it.each<[number, string, (log: TestLog) => Promise<string>]>([
    [
      400,
      'an old size above that of the head',
      async (log) => requestBody(8, [], await log.note({ size: 7 })),
    ],
    [422, 'a proof from size 0', async (log) => requestBody(0, hashes(1), await log.note({ size: 7 }))],
    [
      422,
      'a proof from size 0 with 63 lines',
      async (log) => requestBody(0, hashes(63), await log.note({ size: 7 })),
    ],
    [400, 'a proof with 64 lines', async (log) => requestBody(0, hashes(64), await log.note({ size: 7 }))],
    [
      403,
      'a head that only a stranger has signed',
      async (log) => requestBody(0, [], await log.note({ size: 7, signer: noteSigner(log.origin, 'log') })),
    ],
    [
      404,
      'the head of an unknown log',
      async () => requestBody(0, [], await newLog('unknown.example/log').log.note({ size: 7 })),
    ],
  ])('with %i %s', async (status, _name, body) => {
    const { log, served } = ownLog('refused');
    const answer = await answerTo(await body(log));
    expect([answer.status, answer.type]).toEqual([status, 'text/plain; charset=utf-8']);
    expect(answer.text).toMatch(/^[^\n]+\n$/);
    expect((await served()).status).toBe(404);
  });

  it('with 422 what does not follow, and with 409 what is older, and says which head it was', async () => {
    const { log, fork, served } = ownLog('forked');
    expect((await answerTo(await asking(0, 20, log))).status).toBe(200);
    const { note } = await fork.head({ size: 20 });
    const refused: [number, string][] = [
      // C2SP tlog-witness: 409 for another root of the same size.
      [409, await asking(20, 20, fork)],
      [422, await asking(20, 21, fork)],
      [422, requestBody(20, [], await log.note({ size: 21 }))],
      [409, await asking(19, 21, log)],
      [409, await asking(0, 19, log)],
      [409, await asking(20, 20, log).then((body) => body.replace('old 20', 'old 0'))],
    ];
    for (const [status, body] of refused) {
      const answer = await answerTo(body);
      expect([status, answer.status]).toEqual([status, status]);
      if (status === 409) expect([answer.type, answer.text]).toEqual(['text/x.tlog.size', '20\n']);
    }
    expect(await (await served()).text()).toContain(await log.note({ size: 20 }));
    await until(
      () => witness.said().includes(encodeBase64(parseHead(formatNote(note), invalid).root)),
      witness.said,
    );
    expect((await answerTo(await asking(20, 21, log))).status).toBe(200);
  });

  it.each<[string, (body: string) => NonNullable<RequestInit['body']>]>([
    ['nothing', () => ''],
    ['no old size', (body) => body.replace('old 0\n', '')],
    ['an old size with a leading zero', (body) => body.replace('old 0', 'old 00')],
    ['an old size with a space', (body) => body.replace('old 0', 'old 0 ')],
    ['an old size beyond all', (body) => body.replace('old 0', 'old 9999999999999999999999')],
    ['no empty line', (body) => body.replace('old 0\n\n', 'old 0\n')],
    ['a hash without padding', (body) => body.replace('\n\n', `\n${'A'.repeat(43)}\n\n`)],
    ['a hash that is short', (body) => body.replace('\n\n', `\n${'A'.repeat(40)}\n\n`)],
    ['a hash that is long', (body) => body.replace('\n\n', `\n${'A'.repeat(44)}\n\n`)],
    ['no head', (body) => body.slice(0, body.indexOf('\n\n') + 2)],
    ['a size with a leading zero', (body) => body.replace('\n7\n', '\n07\n')],
    ['bytes that are not UTF-8', (body) => Buffer.concat([Buffer.from(body), Buffer.from([0xff, 0x0a])])],
  ])('with 400 a body with %s', async (_name, alter) => {
    const body = await asking(0, 7);
    expect(alter(body)).not.toEqual(body);
    expect((await answerTo(alter(body))).status).toBe(400);
  });

  it('with 404 and 405 other requests', async () => {
    const statusOf = async (path: string, init?: RequestInit) =>
      (await fetch(witness.url + path, init)).status;
    expect(await statusOf('/add-checkpoint')).toBe(405);
    expect(await statusOf('/add-checkpoint', { method: 'PUT', body: 'x' })).toBe(405);
    expect(await statusOf(`/${HASH}/checkpoint`, { method: 'POST', body: 'x' })).toBe(404);
    for (const path of ['/', '/vkey', '/sign-subtree', `/${HASH}`, `/${HASH.toUpperCase()}/checkpoint`]) {
      expect([path, await statusOf(path)]).toEqual([path, 404]);
    }
    expect(await statusOf(`/${'0'.repeat(64)}/checkpoint`)).toBe(404);
    expect(await statusOf('/..%2fvkey/checkpoint')).toBe(404);
  });
});

describe('a hostile client', () => {
  /** Sends bytes on a connection. Returns what the server sends until it closes the connection. */
  function raw(url: string, start: string, more?: () => string): Promise<string> {
    const { port } = new URL(url);
    return new Promise((resolve) => {
      let text = '';
      const socket = connect(Number(port), '127.0.0.1');
      const pump = () => {
        while (more !== undefined && socket.writable && socket.write(more()));
      };
      socket.on('drain', pump).on('error', () => undefined);
      socket.setEncoding('utf8').on('data', (data: string) => {
        text += data;
      });
      socket.on('close', () => resolve(text));
      socket.write(start, pump);
    });
  }
  const POST = 'POST /add-checkpoint HTTP/1.1\r\nHost: w\r\nConnection: close\r\n';

  it('with a body of 64 KiB is heard, and with one byte more is not', async () => {
    const body = await asking(0, 7);
    const fill = (size: number) => body + 'x'.repeat(size - Buffer.byteLength(body));
    expect((await answerTo(fill(64 * 1024))).status).toBe(400);
    expect((await answerTo(fill(64 * 1024 + 1))).status).toBe(413);
  });

  it('with an endless body or endless headers gets no further', async () => {
    const chunk = `400\r\n${'x'.repeat(1024)}\r\n`;
    expect(await raw(witness.url, `${POST}Transfer-Encoding: chunked\r\n\r\n`, () => chunk)).toMatch(
      /^HTTP\/1.1 413 |^$/,
    );
    const header = `X-Long: ${'x'.repeat(1000)}\r\n`;
    expect(await raw(witness.url, POST, () => header)).toMatch(/^HTTP\/1.1 431 |^$/);
    expect((await answerTo('')).status).toBe(400);
  });

  it('that sends half a request is disconnected, while others are served', async () => {
    const started = Date.now();
    const half = raw(witness.url, `${POST}Content-Length: 100\r\n\r\nold 0\n`);
    const headers = raw(witness.url, POST);
    expect((await answerTo('')).status).toBe(400);
    expect(await headers).toMatch(/^HTTP\/1.1 408 /);
    expect(await half).toMatch(/^HTTP\/1.1 4/);
    expect(Date.now() - started).toBeLessThan(60_000);
  });
});

describe('passport-registry witness', () => {
  /** Runs a witness that does not start. */
  const start = (files: WitnessFiles, ...args: string[]) => {
    const state = ['--witness-key', 'witness.pem', '--witness-state', 'state'];
    return cli(['witness', ...state, '--port', '0', ...args, '--json'], files.folder);
  };

  it('does not start without its state, or with that of another key', async () => {
    const [one, other] = [await newWitness(), await newWitness()];
    const stateless = await start(one, '--log', mainLog.vkey, '--witness-state', 'nowhere');
    expectCommandError(stateless, 'ERR_USAGE', 'nowhere', '--witness-state');
    const state = `${other.folder}/state`;
    const foreign = await start(one, '--log', mainLog.vkey, '--witness-state', state);
    expectCommandError(foreign, 'ERR_KEY_REJECTED', state);
  });

  it('does not start without a log, or with a key that is none', async () => {
    expectCommandError(await start(files), 'ERR_USAGE', '--log', '--trust-anchor');
    expectCommandError(await start(files, '--log', files.vkey), 'ERR_USAGE', files.vkey);
    expectCommandError(await start(files, 'https://registry.example'), 'ERR_USAGE', '--trust-anchor');
  });
});
