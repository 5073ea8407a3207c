import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  newestCosignatures,
  parseHead,
  parseNoteKey,
  parseSignatureLines,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { cosignedHeadPath } from '../../support/log-files.js';
import { generatePair, invalid } from '../../support/note-keys.js';
import { rounds } from '../../support/soak.js';
import { namedEntries, type TestLog, testLog } from '../../support/test-log.js';
import {
  newWitness,
  post,
  requestBody,
  startWitness,
  type WitnessFiles,
} from '../../support/witness-service.js';
import { ageLock } from '../../support/workspace.js';

const LOGS = rounds({ usual: 5, soak: 100 });
const KILLS = rounds({ usual: 2, soak: 6 });
const ENTRIES = rounds({ usual: 600, soak: 1200 });

const pair = generatePair();

/** Two histories of one log: with the same name and the same key. Only the first entries are equal. */
interface TwoHistories {
  readonly origin: string;
  readonly histories: readonly [TestLog, TestLog];
}

async function twoHistories(origin: string, shared: number, own: number): Promise<TwoHistories> {
  const first = namedEntries('shared', shared);
  const history = (name: string) => testLog(pair, [...first, ...namedEntries(name, own)], origin);
  return { origin, histories: [history('one'), history('other')] };
}

/** A verified cosignature that a client got: of which history, and for how many entries. */
interface Got {
  readonly history: number;
  readonly size: number;
}

/** A client that asks witnesses to cosign one of two histories, as a publisher would. */
class Client {
  readonly got: Got[] = [];
  readonly statuses: number[] = [];
  readonly #log: TestLog;
  readonly #history: number;
  readonly #files: WitnessFiles;
  /** The size that the witness has cosigned last, as far as the client knows. */
  #oldSize = 0;

  constructor({ histories }: TwoHistories, history: 0 | 1, files: WitnessFiles) {
    this.#log = histories[history];
    this.#history = history;
    this.#files = files;
  }

  /** Asks for a head. Verifies the cosignature. Does nothing if the witness does not answer. */
  async ask(url: string, size: number): Promise<void> {
    const from = Math.min(this.#oldSize, size);
    const body = requestBody(from, await this.#log.consistency(from, size), await this.#log.note({ size }));
    const answer = await post(url, body)
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => undefined);
    if (answer === undefined) return;
    const { status, text } = answer;
    this.statuses.push(status);
    if (status === 409) this.#oldSize = Number(text);
    if (status !== 200) return;
    const witness = parseNoteKey(this.#files.vkey, 'witness', invalid);
    const note = {
      text: (await this.#log.head({ size })).note.text,
      signatures: parseSignatureLines(text, invalid),
    };
    const rules = { witnesses: [witness], quorum: 1, since: Date.now() - 120_000, until: Date.now() + 1000 };
    expect(await newestCosignatures(note, rules)).toHaveLength(1);
    this.#oldSize = size;
    this.got.push({ history: this.#history, size });
  }
}

const gotBy = (clients: readonly Client[]) => clients.flatMap(({ got }) => got);

/** What a witness serves now: which history, and how many entries. */
async function servedBy(url: string, { origin, histories }: TwoHistories): Promise<Got> {
  const response = await fetch(`${url}/${cosignedHeadPath(origin)}`);
  const head = parseHead(await response.text(), invalid);
  const texts = await Promise.all(
    histories.map(async (log) => (await log.head({ size: head.size })).note.text),
  );
  return { history: texts.indexOf(head.note.text), size: head.size };
}

describe('of two histories, a witness cosigns one', () => {
  it.each([1, 2])(
    `of ${LOGS} logs in ${10 * LOGS} requests side by side, by %i processes with one state`,
    async (count) => {
      const logs = await Promise.all(
        Array.from({ length: LOGS }, (_one, at) => twoHistories(`registry${at}.example/log`, 0, 5)),
      );
      const files = await newWitness();
      const vkeys = logs.flatMap(({ histories }) => ['--log', histories[0].vkey]);
      const witnesses = await Promise.all(Array.from({ length: count }, () => startWitness(files, ...vkeys)));
      const urls = witnesses.map(({ url }) => url);
      const clients = logs.map((log) =>
        Array.from({ length: 10 }, (_one, at) => new Client(log, at % 2 === 0 ? 0 : 1, files)),
      );
      for (const [at, log] of logs.entries()) {
        const its = clients[at] ?? [];
        await Promise.all(
          // Each process gets requests for both histories.
          its.map((client, index) => client.ask(urls[(index >> 1) % count] ?? '', 1 + (index % 5))),
        );
        const [got, ...served] = [gotBy(its), ...(await Promise.all(urls.map((url) => servedBy(url, log))))];
        const size = Math.max(...got.map((one) => one.size));
        const { history } = got[0] ?? { history: -1 };
        expect(got.map((one) => one.history)).toEqual(got.map(() => history));
        expect(served).toEqual(served.map(() => ({ history, size })));
      }
      const statuses = new Set(clients.flat().flatMap((client) => client.statuses));
      expect([...statuses].sort()).toEqual([200, 409]);
      for (const { said } of witnesses) expect(said()).not.toContain('failed');
      // No lock and no temporary file is left.
      const states = logs.map(({ origin }) => cosignedHeadPath(origin).replace('/', '.'));
      expect(readdirSync(join(files.folder, 'state')).sort()).toEqual([...states, 'vkey'].sort());
    },
  );

  it('however often it is killed', async () => {
    const log = await twoHistories('registry.example/log', 5, ENTRIES);
    const files = await newWitness();
    const clients = Array.from({ length: 16 }, (_one, at) => new Client(log, at % 2 === 0 ? 0 : 1, files));
    let reached = 5;
    for (let round = 0; round < KILLS; round++) {
      const witness = await startWitness(files, '--log', log.histories[0].vkey);
      if (round > 0) {
        // What any client got before the kill, the witness still knows.
        const { history, size } = await servedBy(witness.url, log);
        expect(gotBy(clients).map((one) => one.history)).toEqual(gotBy(clients).map(() => history));
        expect(size).toBeGreaterThanOrEqual(reached);
      }
      const enough = gotBy(clients).length + 5 + 3 * round;
      let isKilled = false;
      await Promise.all(
        clients.map(async (client, at) => {
          for (let size = reached + 1; !isKilled && size < ENTRIES; size += (at % 3) + 1) {
            await client.ask(witness.url, size);
            if (isKilled || gotBy(clients).length < enough) continue;
            isKilled = true;
            await witness.end('SIGKILL');
            ageLock(join(files.folder, 'state', cosignedHeadPath(log.origin).replace('/', '.')));
          }
        }),
      );
      expect(isKilled).toBe(true);
      reached = Math.max(...gotBy(clients).map(({ size }) => size));
    }
  });
});
