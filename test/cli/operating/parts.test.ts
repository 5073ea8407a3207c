import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Issuer } from '@passport-registry/verifier';
import type { Checkpoint, PublicationStatement } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import type {
  HostFacts,
  LogFacts,
  OnlineKeyFacts,
  RecordFacts,
  RootKeyFacts,
} from '../../../build/cli/operating/facts.js';
import { hostPart, unaskedPart } from '../../../build/cli/operating/host-parts.js';
import { onlineKeysPart, rootKeyPart } from '../../../build/cli/operating/key-parts.js';
import { mostUrgent, type Part } from '../../../build/cli/operating/part.js';
import { presenceOf } from '../../../build/cli/operating/signer-presence.js';
import { checkpointPart, logPart } from '../../../build/cli/operating/statement-parts.js';
import { listPart, recordsPart, stagePart, treePart } from '../../../build/cli/operating/tree-parts.js';
import type { Served } from '../../../build/observers/hosts/served.js';
import { encryptedKey, temporaryFolder } from '../../support/workspace.js';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const HERE = { level: 'ok', message: 'here' } as const;

/** The level of a part, and the command of its hint, if it has one. */
const judged = (part: Part | undefined) =>
  part === undefined ? undefined : [part.level, /`([\w ]+)/.exec(part.hint ?? '')?.[1]];

const online = { keys: [{ thumbprint: 'O' }], expiresAt: NOW + 60 * DAY, mayHold: true };

function publication(changes: Partial<PublicationStatement> = {}): PublicationStatement {
  const place = { kid: 'R', hash: 'p4', previous: ['p3', 'p2'], sequence: 4 };
  return { ...place, issuedAt: NOW - 2 * HOUR, ...changes } as PublicationStatement;
}

function checkpoint(changes: Partial<Checkpoint> = {}): Checkpoint {
  const times = { issuedAt: NOW - HOUR, notBefore: NOW - HOUR, expiresAt: NOW + 23 * HOUR };
  return { hold: [], text: 'c', ...times, ...changes } as unknown as Checkpoint;
}

const issuers = (statuses: Readonly<Record<string, Issuer['status']>>) =>
  Object.entries(statuses).map(([issuer_id, status]) => ({ issuer_id, status }) as Issuer);

describe('the tree', () => {
  const whole = { folder: 'dist', isThere: true, problems: [], notes: [] };

  it.each([
    ['is whole', whole, false, ['ok', undefined]],
    ['is not there', { ...whole, isThere: false }, false, ['note', 'load']],
    ['has a file that is not part of it', { ...whole, notes: ['x'] }, false, ['note', undefined]],
    ['is damaged', { ...whole, problems: ['x', 'y'] }, false, ['error', 'load']],
    ['is being changed', { ...whole, problems: ['x'] }, true, ['error', 'checkpoint']],
  ])('%s', (_what, tree, hasStage, expected) => {
    expect(judged(treePart(tree, hasStage))).toEqual(expected);
  });

  it('has a list, whose issuers are counted', () => {
    const list = {
      publication: publication({ updatedAt: '2026-11-20T12:00:00Z' }),
      issuers: issuers({ a: 'active', b: 'revoked', c: 'active' }),
    };
    const data = { issuers: 3, active: 2, suspended: 0, revoked: 1, ageDays: 2 };
    expect(listPart(list, NOW)).toMatchObject({ level: 'ok', data });
    expect(listPart(list, Date.parse('2026-11-20T11:00:00Z'))?.level).toBe('error');
    expect(listPart({ publication: undefined, issuers: [] }, NOW)).toBeUndefined();
  });

  it('has a stage beside it, or none', () => {
    const tree = { folder: 'dist' } as never;
    expect(judged(stagePart({ hasStage: true, tree }))).toEqual(['warning', 'checkpoint']);
    expect(stagePart({ hasStage: false, tree })).toBeUndefined();
  });
});

describe('the records', () => {
  const none: RecordFacts = { changes: [], problems: [], warnings: [] };
  const change = (from: string, to: string) =>
    ({ issuer_id: 'a', kind: 'changed', fields: [{ field: 'status', from, to }] }) as never;
  const problem = { file: 'a.yaml', message: 'x' } as never;

  it.each<[string, RecordFacts, unknown]>([
    ['are those of the list', none, ['ok', undefined]],
    ['lift a suspension', { ...none, changes: [change('suspended', 'active')] }, ['note', 'build']],
    [
      'stop an issuer, which verifiers accept',
      { ...none, changes: [change('active', 'revoked')] },
      ['error', 'build'],
    ],
    ['would stop a build', { ...none, problems: [problem] }, ['error', 'diff']],
    ['are missing', { problem: 'no folder', isMissing: true }, ['error', undefined]],
  ])('%s', (_what, records, expected) => {
    expect(judged(recordsPart(records, { isPublished: true, hasStage: false }))).toEqual(expected);
  });

  it('wait with a publication that was committed', () => {
    const waiting = { ...none, changes: [change('suspended', 'active')] };
    expect(judged(recordsPart(waiting, { isPublished: true, hasStage: true }))).toEqual([
      'note',
      'checkpoint',
    ]);
  });

  it('are missing before the first publication, too', () => {
    expect(
      recordsPart({ problem: 'no folder', isMissing: true }, { isPublished: false, hasStage: false }).level,
    ).toBe('note');
  });
});

describe('the root key', () => {
  const configured: RootKeyFacts = {
    file: 'root.json',
    rootKey: { thumbprint: 'R' } as never,
    problem: undefined,
    nextRoots: undefined,
    isReplaced: false,
    signer: HERE,
  };
  const tree = { folder: 'dist', rootKey: { thumbprint: 'R' } as never, development: false };
  const other = { ...tree, rootKey: { thumbprint: 'S' } as never };
  const away = { level: 'note', message: 'not here' } as const;

  it.each<[string, RootKeyFacts, typeof tree | { rootKey: undefined }, unknown]>([
    ['is that of the tree', configured, tree, ['ok', undefined]],
    ['is away', { ...configured, signer: away }, tree, ['note', undefined]],
    ['is not that of the tree', configured, other, ['error', 'load']],
    ['was replaced by a rotation', { ...configured, isReplaced: true }, other, ['warning', 'keys rotate']],
    ['cannot be read', { ...configured, problem: 'x' }, tree, ['error', undefined]],
    ['is its own next key', { ...configured, nextRoots: ['R'] }, tree, ['error', undefined]],
    ['is a development key', configured, { ...tree, development: true }, ['note', undefined]],
    ['is not configured', { ...configured, rootKey: undefined }, tree, ['note', undefined]],
    ['has no tree yet', configured, { rootKey: undefined }, ['ok', undefined]],
  ])('%s', (_what, facts, more, expected) => {
    expect(judged(rootKeyPart(facts, { ...tree, ...more }))).toEqual(expected);
  });
});

describe('the online keys', () => {
  const configured: OnlineKeyFacts = { isConfigured: true, thumbprint: 'O', mayHold: true, signer: HERE };
  const none = { ...configured, isConfigured: false, thumbprint: undefined };
  const BUILD = 'build';

  it.each<[string, OnlineKeyFacts, object | undefined, unknown]>([
    ['are published', configured, online, ['ok', undefined]],
    ['are those of another machine', none, online, ['ok', undefined]],
    ['are none', none, undefined, ['ok', undefined]],
    ['are configured and were never published', configured, undefined, ['error', BUILD]],
    ['are others than the configured one', { ...configured, thumbprint: 'X' }, online, ['error', BUILD]],
    ['may not hold, although they should', configured, { ...online, mayHold: false }, ['error', BUILD]],
    ['may hold, although they should not', { ...configured, mayHold: false }, online, ['warning', BUILD]],
    ['may not hold', { ...configured, mayHold: false }, { ...online, mayHold: false }, ['note', undefined]],
    ['end soon', configured, { ...online, expiresAt: NOW + HOUR / 2 }, ['warning', BUILD]],
    ['are over', configured, { ...online, expiresAt: NOW - 1 }, ['error', BUILD]],
    ['are away', { ...configured, signer: { level: 'note', message: '' } }, online, ['note', undefined]],
  ])('%s', (_what, facts, claim, expected) => {
    const published = publication({ online: claim as never });
    expect(judged(onlineKeysPart(facts, { publication: published }, NOW))).toEqual(expected);
  });

  it('are unknown without a publication', () => {
    expect(onlineKeysPart(configured, { publication: undefined }, NOW)).toBeUndefined();
  });
});

describe('the checkpoint', () => {
  it.each<[string, Partial<Checkpoint>, unknown]>([
    ['is valid', {}, ['ok', undefined]],
    ['expires soon', { expiresAt: NOW + 60_000 }, ['warning', 'checkpoint']],
    ['has expired', { expiresAt: NOW - HOUR }, ['error', 'checkpoint']],
    ['is from the future', { issuedAt: NOW + HOUR, notBefore: NOW + HOUR }, ['error', undefined]],
    ['holds an active issuer', { hold: ['a', 'b'] }, ['warning', 'suspend']],
    ['holds an issuer that the list stops', { hold: ['b'] }, ['note', 'hold ']],
  ])('%s', (_what, changes, expected) => {
    const list = issuers({ a: 'active', b: 'suspended' });
    const tree = { checkpoint: checkpoint(changes), publication: publication(), issuers: list };
    expect(judged(checkpointPart(tree, NOW))).toEqual(expected);
  });

  it('says whom it holds', () => {
    const tree = { checkpoint: checkpoint({ hold: ['a'] }), publication: publication(), issuers: [] };
    expect(checkpointPart(tree, NOW)).toMatchObject({
      fact: expect.stringContaining('holds a'),
      data: { hold: ['a'], releasable: [] },
    });
    expect(checkpointPart({ ...tree, checkpoint: undefined }, NOW)).toBeUndefined();
  });
});

describe('the log', () => {
  const log: LogFacts = {
    isConfigured: true,
    origin: 'r.example/log',
    hasSigner: true,
    signer: HERE,
    size: 3,
    cosigned: [
      { name: 'a', time: NOW - DAY },
      { name: 'b', time: NOW - 2 * DAY },
    ],
    witnesses: 2,
    quorum: 2,
  };
  const begun = { origin: 'r.example/log', vkey: '' };
  const cosignedAt = (ms: number) => ({
    ...log,
    cosigned: [...log.cosigned.slice(0, 1), { name: 'b', time: ms }],
  });

  it.each<[string, LogFacts, typeof begun | undefined, unknown]>([
    ['has its quorum', log, begun, ['ok', undefined]],
    ['has no witnesses', { ...log, cosigned: [], quorum: 0 }, begun, ['ok', undefined]],
    ['is configured and was never begun', log, undefined, ['warning', 'build']],
    ['is none', { ...log, isConfigured: false }, undefined, undefined],
    ['is another than the configured one', { ...log, origin: 'x.example/log' }, begun, ['error', undefined]],
    ['has no signer', { ...log, hasSigner: false }, begun, ['warning', undefined]],
    ['lacks its quorum', { ...log, quorum: 3 }, begun, ['warning', 'checkpoint']],
    ['was cosigned 25 days ago', cosignedAt(NOW - 25 * DAY), begun, ['warning', 'checkpoint']],
    ['was cosigned 31 days ago', cosignedAt(NOW - 31 * DAY), begun, ['error', 'checkpoint']],
  ])('%s', (_what, facts, published, expected) => {
    const tree = { publication: publication({ log: published }) };
    expect(judged(logPart(facts, tree, NOW))).toEqual(expected);
  });
});

describe('a host', () => {
  const own = {
    folder: 'dist',
    isThere: true,
    publication: publication(),
    checkpoint: checkpoint({ hold: ['a'] }),
  };
  const none = { ...own, isThere: false, publication: undefined, checkpoint: undefined };
  const fresh = { ...own, publication: publication({ issuedAt: NOW - 60_000 }) };
  const serves = (more: Partial<PublicationStatement>, held: Partial<Checkpoint> = {}): Served => ({
    state: 'registry',
    publication: publication(more),
    checkpoint: checkpoint({ hold: ['a'], ...held }),
  });
  const older = serves({ hash: 'p3', previous: ['p2'], sequence: 3 }, { text: 'd' });
  const later = { hash: 'p5', previous: ['p4', 'p3', 'p2'], sequence: 5 };
  const ended = { text: 'd', issuedAt: NOW, hold: [] };
  const newer = serves(later, ended);
  const earlier = { text: 'd', issuedAt: NOW - 2 * HOUR };

  it.each<[string, Served, typeof own | typeof none, unknown]>([
    ['the tree', serves({}), own, ['ok', 'same']],
    ['an older checkpoint', serves({}, earlier), own, ['note', 'same']],
    ['a checkpoint without the hold', serves({}, { ...earlier, hold: [] }), own, ['error', 'same']],
    ['a hold that the tree lacks', serves({}, { ...earlier, hold: ['a', 'b'] }), own, ['warning', 'same']],
    ['a newer checkpoint', serves({}, { text: 'd', issuedAt: NOW }), own, ['note', 'same']],
    ['a newer checkpoint without the hold', serves({}, ended), own, ['warning', 'same']],
    ['a rotation that the tree lacks', serves({ ...later, kid: 'T' }), own, ['error', 'newer']],
    ['an expired checkpoint', serves({}, { ...earlier, expiresAt: NOW - HOUR }), own, ['error', 'same']],
    ['an older publication', older, own, ['error', 'older']],
    ['an older publication, just after a new one', older, fresh, ['warning', 'older']],
    ['a newer publication', newer, own, ['warning', 'newer']],
    ['another history', serves({ hash: 'x', previous: ['y', 'z'] }), own, ['error', 'other']],
    ['nothing', { state: 'nothing' }, own, ['error', 'nothing']],
    ['nothing, before the first publication', { state: 'nothing' }, none, ['note', 'nothing']],
    ['a registry, and there is no tree', serves({}), none, ['error', 'registry']],
    ['what verifiers refuse', { state: 'refused', problem: 'x', hash: 'q' }, own, ['error', 'refused']],
    ['what a replaced key signed', { state: 'refused', problem: 'x', hash: 'p2' }, own, ['error', 'older']],
    ['no answer', { state: 'unreachable', problem: 'x' }, own, ['error', 'unreachable']],
    [
      'no answer, and there is no tree',
      { state: 'unreachable', problem: 'x' },
      none,
      ['warning', 'unreachable'],
    ],
  ])('gives %s', (_what, served, tree, expected) => {
    for (const role of ['base_url', 'mirror'] as const) {
      const host: HostFacts = { role, url: 'https://registry.example', served };
      const { level, data } = hostPart(host, tree, NOW);
      expect([level, data['serves']]).toEqual(expected);
    }
  });

  it('may hold an issuer whom an upload would release', () => {
    const [holds, lacks] = [['a', 'b'], ['b']].map((hold) => serves({}, { ...earlier, hold }));
    for (const served of [holds, lacks]) {
      const { fact } = hostPart({ role: 'base_url', url: '', served: served as Served }, own, NOW);
      expect(fact).toContain('an upload of dist would end the hold of b');
    }
  });

  it('of the registry is what to load, or where to upload', () => {
    const hint = (served: Served) => hostPart({ role: 'base_url', url: '', served }, own, NOW).hint;
    expect([hint(newer), hint(older)]).toEqual(['Run `load`', 'Upload dist']);
  });

  it('is asked unless there is none, or no key to verify it with', () => {
    expect(unaskedPart({ hosts: 'no base_url' })?.level).toBe('note');
    expect(unaskedPart({ hosts: 'no root key' })?.level).toBe('note');
    expect(unaskedPart({ hosts: 'offline' })).toBeUndefined();
  });
});

describe('what signs', () => {
  const folder = temporaryFolder();
  const file = (name: string, content: string, mode: number) => {
    writeFileSync(join(folder, name), content, { mode });
    return join(folder, name);
  };

  it.each<[string, Parameters<typeof presenceOf>[0], string]>([
    ['is an encrypted key', { key: file('e.pem', encryptedKey('x'), 0o600) }, 'ok'],
    ['is a file that others may read', { key: file('open.pem', 'not a key', 0o644) }, 'warning'],
    ['is a file that is not there', { key: join(folder, 'none.pem') }, 'note'],
    ['is a folder', { key: folder }, 'note'],
    ['is a variable', { key: 'env:ROOT' }, 'ok'],
    ['is a variable that is not set', { key: 'env:NONE' }, 'note'],
    ['is a command', { command: 'touch signed; exit 1' }, 'ok'],
    ['is nothing', {}, 'ok'],
  ])('%s', (_what, signer, level) => {
    expect(presenceOf(signer, { ROOT: 'secret-value' })).toMatchObject({
      level,
      message: expect.not.stringContaining('secret-value'),
    });
  });
});

it('the most urgent level counts', () => {
  expect([mostUrgent(['ok', 'warning', 'note']), mostUrgent([])]).toEqual(['warning', 'ok']);
});
