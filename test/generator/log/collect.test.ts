import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import {
  cosignatureTime,
  cosignedText,
  encodeCosignature,
  formatNote,
  formatSignature,
  type NoteSignature,
  parseHead,
  type SignedHead,
} from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { collectCosignatures } from '../../../build/generator/log/collect.js';
import type { CosignChoice, Witness } from '../../../build/generator/log/log-choice.js';
import { generatePair, invalid } from '../../support/note-keys.js';
import { listen } from '../../support/serving.js';
import { namedEntries, type TestLog, testLog } from '../../support/test-log.js';
import { honestWitness, newWitnessKey, type WitnessKey } from '../../support/witness-app.js';
import { temporaryFolder } from '../../support/workspace.js';

/** Longer than any test may take: a test that waits for so long fails. */
const FOREVER_MS = 600_000;

const pair = generatePair();
let log: TestLog;

beforeAll(async () => {
  log = testLog(pair, namedEntries('a', 300));
});

const now = () => Math.floor(Date.now() / 1000);

/** Cosigns any text, as an honest witness would not. */
async function cosign({ key, signer }: WitnessKey, text: string, seconds = now()): Promise<NoteSignature> {
  const signature = await signer.sign(Buffer.from(cosignedText(text, seconds)));
  return { name: key.name, keyId: key.keyId, signature: encodeCosignature(seconds, signature) };
}

/** Answers requests as an honest witness of the log. */
const honest = (witness: WitnessKey) => honestWitness(witness, join(temporaryFolder(), 'state'), [log.vkey]);

/** Collects from witnesses. Reads the tiles of the log. */
function collect(head: SignedHead, witnesses: readonly Witness[], choice: Partial<CosignChoice> = {}) {
  const all = { witnesses, quorum: 0, waitMs: FOREVER_MS, ...choice };
  return collectCosignatures(head, all, (path) => log.files.get(path));
}

/** Why a witness is missing, and whether it has seen another history. */
async function missingOf(head: SignedHead, witness: Witness, waitMs = FOREVER_MS) {
  const { signatures, missing } = await collect(head, [witness], { waitMs });
  expect(signatures).toEqual([]);
  expect(missing.map(({ witness: name }) => name)).toEqual([witness.key.name]);
  return { problem: missing[0]?.problem ?? '', isOtherHistory: missing[0]?.isOtherHistory === true };
}

const problemOf = async (...asked: Parameters<typeof missingOf>) => (await missingOf(...asked)).problem;

/** Adds cosignatures to a head. */
const withLines = (head: SignedHead, ...lines: NoteSignature[]): SignedHead => ({
  ...head,
  note: { ...head.note, signatures: [...head.note.signatures, ...lines] },
});

/** A host on which a request hangs. */
const hanging: RequestListener = () => undefined;

describe('cosignatures of a service', () => {
  it('are collected, whatever it has cosigned before', async () => {
    const witness = await newWitnessKey();
    const answer = honest(witness);
    const requests: string[] = [];
    const service = await listen((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    for (const [size, count] of [
      [0, 1],
      [1, 1],
      [5, 2],
      [256, 2],
      [300, 2],
      [300, 2],
    ] as const) {
      requests.length = 0;
      const { signatures, missing } = await collect(await log.head({ size }), [
        { key: witness.key, service },
      ]);
      expect(missing).toEqual([]);
      expect(signatures.map(({ name, keyId }) => ({ name, keyId }))).toEqual([
        { name: witness.key.name, keyId: witness.key.keyId },
      ]);
      expect([size, requests]).toEqual([size, Array.from({ length: count }, () => 'POST /add-checkpoint')]);
    }
  });

  it('are renewed with one request, and no proof', async () => {
    const witness = await newWitnessKey();
    const answer = honest(witness);
    let requests = 0;
    const service = await listen((request, response) => {
      requests += 1;
      answer(request, response);
    });
    const head = await log.head({ size: 9 });
    const first = await collect(head, [{ key: witness.key, service }]);
    requests = 0;
    const second = await collect(withLines(head, ...first.signatures), [
      { key: witness.key, service: `${service}/` },
    ]);
    expect([second.missing, requests]).toEqual([[], 1]);
    const [before, after] = [first, second].map(({ signatures: [line] }) => line && cosignatureTime(line));
    expect(after).toBeGreaterThanOrEqual(before ?? Number.POSITIVE_INFINITY);
  });

  it('are collected after some failures', async () => {
    const witness = await newWitnessKey();
    const answer = honest(witness);
    const failures: RequestListener[] = [
      (_request, response) => response.writeHead(503).end(),
      (request) => request.socket.destroy(),
    ];
    const service = await listen((request, response) => {
      const fail = failures.shift();
      if (fail === undefined) answer(request, response);
      else fail(request, response);
    });
    expect(
      (await collect(await log.head({ size: 3 }), [{ key: witness.key, service }])).signatures,
    ).toHaveLength(1);
  });

  /** The lines of a cosignature at another time. */
  const signedAt =
    (seconds: number) =>
    async (witness: WitnessKey, { note }: SignedHead) =>
      formatSignature(await cosign(witness, note.text, seconds));

  it.each<[string, string, (witness: WitnessKey, head: SignedHead) => Promise<string>]>([
    [
      'of another size',
      'is not valid for the head',
      async (witness) => formatSignature(await cosign(witness, (await log.head({ size: 6 })).note.text)),
    ],
    [
      'by an unknown key',
      'sent no cosignature by its key witness.example+',
      async (_witness, { note }) => formatSignature(await cosign(await newWitnessKey(), note.text)),
    ],
    ['of an hour ago', 'sent an old cosignature, of 20', signedAt(now() - 3600)],
    ['of the next hour', 'which is in the future', signedAt(now() + 3600)],
    ['of the year 200,000', 'which is in the future', signedAt(8_000_000_000_000)],
    [
      'without a time',
      'sent no cosignature by its key',
      async (witness, { note }) => {
        const line = await cosign(witness, note.text);
        return formatSignature({ ...line, signature: line.signature.subarray(8) });
      },
    ],
    ['in a page', 'sent a response that', async () => '<html></html>'],
  ])('%s do not count', async (_name, problem, respond) => {
    const witness = await newWitnessKey();
    const head = await log.head({ size: 7 });
    const body = await respond(witness, head);
    const service = await listen((_request, response) => response.end(body));
    expect(await problemOf(head, { key: witness.key, service })).toContain(problem);
  });

  it('count among lines of strangers', async () => {
    const witness = await newWitnessKey();
    const head = await log.head({ size: 7 });
    const [own, stranger] = [
      await cosign(witness, head.note.text),
      await cosign(await newWitnessKey('x'), head.note.text),
    ];
    const body = [stranger, own, stranger].map(formatSignature).join('');
    const service = await listen((_request, response) => response.end(body));
    expect((await collect(head, [{ key: witness.key, service }])).signatures).toEqual([own]);
  });

  it('that are older than the known one do not count', async () => {
    const witness = await newWitnessKey();
    const head = await log.head({ size: 7 });
    const known = await cosign(witness, head.note.text, now() + 10);
    const body = formatSignature(await cosign(witness, head.note.text));
    const service = await listen((_request, response) => response.end(body));
    const problem = await problemOf(withLines(head, known), { key: witness.key, service });
    expect(problem).toContain('sent an old cosignature');
  });

  const answers =
    (status: number, body: string | Buffer, headers = {}): RequestListener =>
    (_request, response) =>
      response.writeHead(status, headers).end(body);
  const endless: RequestListener = (_request, response) => {
    const pump = () => {
      while (response.writable && response.write('x'.repeat(10_000)));
    };
    response.on('drain', pump);
    pump();
  };

  it.each<[string, string, RequestListener]>([
    ['refuses', 'responded with 403: no such log', answers(403, 'no such log\nand more')],
    ['fails again and again', 'responded with 503', answers(503, '')],
    ['closes each connection', 'cannot be reached', (request) => request.socket.destroy()],
    ['redirects', 'a redirect to http://127.0.0.1/', answers(307, '', { Location: 'http://127.0.0.1/' })],
    ['sends an endless body', 'larger than 65536 bytes', endless],
    ['sends bytes that are no text', 'not UTF-8', answers(200, Buffer.of(0xff))],
    ['names no size', '409, but without a size', answers(409, 'eight\n')],
    ['names a size beyond all', '409, but without a size', answers(409, '99999999999999999999\n')],
    ['names the size that it was asked with', 'the size that it named', answers(409, '0\n')],
    ['does not know the log', 'responded with 404', answers(404, '')],
  ])('are missing if the service %s', async (_name, problem, listener) => {
    const { key } = await newWitnessKey();
    const service = await listen(listener);
    expect(await missingOf(await log.head({ size: 7 }), { key, service })).toEqual({
      problem: expect.stringContaining(problem),
      isOtherHistory: false,
    });
  });

  it.each([
    ['a larger head', 'has cosigned a head of this log with 8 entries', 409, '8\n'],
    ['another root at this size', 'a proof from 7', 409, '7\n'],
    ['another history', 'responded with 422', 422, ''],
  ])(
    'are missing, and forbid to extend the log, if the service has %s',
    async (_name, problem, status, body) => {
      const { key } = await newWitnessKey();
      const service = await listen(answers(status, body));
      expect(await missingOf(await log.head({ size: 7 }), { key, service })).toEqual({
        problem: expect.stringContaining(problem),
        isOtherHistory: true,
      });
    },
  );

  it('are missing if the service names one size after another', async () => {
    const { key } = await newWitnessKey();
    let size = 0;
    const service = await listen((_request, response) => response.writeHead(409).end(`${++size}\n`));
    expect(await problemOf(await log.head({ size: 7 }), { key, service })).toBe('named another size 3 times');
    expect(size).toBe(3);
  });

  it.concurrent.each<[string, RequestListener]>([
    ['does not respond', hanging],
    ['never ends its response', (_request, response) => response.write('\u2014 ')],
  ])('are missing when the time is over if the service %s', async (_name, listener) => {
    const { key } = await newWitnessKey();
    expect(
      await problemOf(await log.head({ size: 7 }), { key, service: await listen(listener) }, 300),
    ).toMatch(/in time$/);
  });
});

// Side by side, because they only wait.
describe.concurrent('several witnesses', () => {
  /** Starts an honest service. @param delayMs - how long each response takes */
  async function service(name: string, delayMs = 0): Promise<Witness> {
    const witness = await newWitnessKey(name);
    const answer = honest(witness);
    const url = await listen((request, response) => {
      setTimeout(() => answer(request, response), delayMs);
    });
    return { key: witness.key, service: url };
  }

  /** Starts a service that never responds. */
  const hangingService = async (name: string): Promise<Witness> => ({
    key: (await newWitnessKey(name)).key,
    service: await listen(hanging),
  });

  it('delay nothing when all have answered', async () => {
    const liar = {
      key: (await newWitnessKey('liar')).key,
      service: await listen((_request, response) => response.end()),
    };
    const witnesses = [await service('one'), liar, await service('two')];
    const { signatures, missing } = await collect(await log.head({ size: 7 }), witnesses, { quorum: 3 });
    expect(signatures.map(({ name }) => name).sort()).toEqual(['one', 'two']);
    expect(missing.map(({ witness }) => witness)).toEqual(['liar']);
  });

  it('are waited for a short time when the quorum is reached', async () => {
    const witnesses = [await hangingService('hanging'), await service('one'), await service('late', 100)];
    // The whole wait is longer than a test may take.
    const { signatures, missing } = await collect(await log.head({ size: 7 }), witnesses, { quorum: 1 });
    expect(signatures.map(({ name }) => name)).toEqual(['one', 'late']);
    expect(missing).toEqual([{ witness: 'hanging', problem: 'did not respond in time' }]);
  });

  it('are waited for until the time is over if the quorum is not reached', async () => {
    const witnesses = [await hangingService('hanging'), await service('one')];
    const started = performance.now();
    const { signatures, missing } = await collect(await log.head({ size: 7 }), witnesses, {
      quorum: 2,
      waitMs: 3000,
    });
    expect(performance.now() - started).toBeGreaterThan(2900);
    expect([signatures.length, missing]).toEqual([
      1,
      [{ witness: 'hanging', problem: 'did not respond in time' }],
    ]);
  });

  it('are all waited for without a quorum', async () => {
    const witnesses = [await service('one'), await service('late', 3000)];
    const { signatures } = await collect(await log.head({ size: 7 }), witnesses);
    expect(signatures.map(({ name }) => name)).toEqual(['one', 'late']);
  });

  it('are none, which takes no time', async () => {
    expect(await collect(await log.head({ size: 7 }), [])).toEqual({ signatures: [], missing: [] });
  });

  it('are not waited for if the wait is 0', async () => {
    const { signatures, missing } = await collect(
      await log.head({ size: 7 }),
      [await hangingService('one')],
      {
        waitMs: 0,
      },
    );
    const problem = 'was neither asked nor waited for: the time to wait is 0';
    expect([signatures, missing]).toEqual([[], [{ witness: 'one', problem }]]);
  });

  it('see heads that parse, with what was collected', async () => {
    const head = await log.head({ size: 7 });
    const { signatures } = await collect(head, [await service('one'), await service('two')]);
    const cosigned = parseHead(formatNote(withLines(head, ...signatures).note), invalid);
    expect(cosigned.note.signatures).toHaveLength(3);
  });
});
