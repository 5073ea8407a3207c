import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { statusEdit } from '../../../build/generator/authoring/edit-status.js';
import { COMMENTED_RECORD } from '../../support/commented-record.js';
import { temporaryFolder, writeFiles } from '../../support/workspace.js';

const ACTIVE = 'status:   active    # see the minutes';
const NOW = new Date('2026-11-29T08:20:30.400Z');

const withLine = (line: string) => COMMENTED_RECORD.replace(ACTIVE, line);

interface Change {
  readonly to: 'active' | 'suspended' | 'revoked';
  readonly reason?: string;
  readonly id?: string;
}

/** Changes the status in a record. Returns the text of the record. */
function edited(text: string, { to, reason = 'x', id = 'gamma' }: Change): string {
  const folder = temporaryFolder();
  writeFiles(folder, { 'issuers/europe/gamma.yaml': text, 'key.yaml': text });
  statusEdit(join(folder, 'issuers'), id, { to, reason, now: NOW }).write();
  return readFileSync(join(folder, 'issuers/europe/gamma.yaml'), 'utf8');
}

describe('a change of status in a record', () => {
  it.each<[string, string, Change, string]>([
    [
      'adds the reason of a suspension',
      COMMENTED_RECORD,
      { to: 'suspended', reason: 'its key has leaked' },
      withLine('status:   suspended    # see the minutes\nstatus_reason: its key has leaked'),
    ],
    [
      'adds the reason to a status that is given already',
      withLine('status:   suspended    # see the minutes'),
      { to: 'suspended' },
      withLine('status:   suspended    # see the minutes\nstatus_reason: x'),
    ],
    [
      'replaces the reason, and keeps its comment',
      withLine('status:   suspended\nstatus_reason: leaked # at noon'),
      { to: 'revoked', reason: 'closed' },
      withLine('status:   revoked\nstatus_reason: closed # at noon'),
    ],
    [
      'takes the reason away with the suspension, and notes why it ended',
      withLine('status:   suspended    # see the minutes\nstatus_reason: leaked'),
      { to: 'active', reason: 'new keys' },
      withLine(`# 2026-11-29 active: new keys\n${ACTIVE}\nreinstated: 2026-11-29T08:20:30Z`),
    ],
    [
      'keeps the ends of lines',
      COMMENTED_RECORD.replaceAll('\n', '\r\n'),
      { to: 'suspended' },
      withLine('status:   suspended    # see the minutes\nstatus_reason: x').replaceAll('\n', '\r\n'),
    ],
    [
      'finds a status below its name',
      withLine('status:\n  active    # see the minutes'),
      { to: 'suspended' },
      withLine('status:\n  suspended    # see the minutes\nstatus_reason: x'),
    ],
    [
      'adds a line after a last line without an end',
      'issuer_id: gamma\nstatus: active',
      { to: 'suspended' },
      'issuer_id: gamma\nstatus: suspended\nstatus_reason: x',
    ],
  ])('%s', (_what, before, change, after) => {
    expect(edited(before, change)).toBe(after);
  });

  it.each(['leaked # at noon', '"leaked: all"', '>-\n  leaked,\n  all', '|-\n  leaked'])(
    'removes or replaces the reason %j, in whatever form',
    (given) => {
      const suspended = withLine(`status:   suspended\nstatus_reason: ${given}`);
      expect(edited(suspended, { to: 'active' })).toBe(
        withLine('# 2026-11-29 active: x\nstatus:   active\nreinstated: 2026-11-29T08:20:30Z'),
      );
      const comment = given.includes('#') ? ' # at noon' : '';
      expect(edited(suspended, { to: 'revoked', reason: 'closed' })).toBe(
        withLine(`status:   revoked\nstatus_reason: closed${comment}`),
      );
    },
  );

  it.each(['404', 'true', 'null', '~', 'a # comment', 'it: is', 'more than <5 s', '\u{1f511}'.repeat(300)])(
    'writes the reason %s as a text, also in place of another',
    (reason) => {
      const suspended = edited(COMMENTED_RECORD, { to: 'suspended', reason: 'so' });
      for (const before of [COMMENTED_RECORD, suspended])
        expect(parse(edited(before, { to: 'revoked', reason })).status_reason).toBe(reason);
    },
  );

  it('takes a reason for one line of text, whatever it holds', () => {
    const reason = 'leaked\nstatus: active\u2028tier: founding\u0007\u202e # e\u0301\r\nx';
    const record = parse(edited(COMMENTED_RECORD, { to: 'suspended', reason }));
    const said = 'leaked status: active tier: founding # \u00e9 x';
    expect(record).toMatchObject({ status: 'suspended', tier: 'certified', status_reason: said });
  });
});

describe('no status is changed', () => {
  it.each<[string, string, Change, string]>([
    [
      'of an issuer without a record',
      COMMENTED_RECORD,
      { to: 'suspended', id: 'nobody' },
      'no record of nobody',
    ],
    [
      'of an id that is misspelt',
      COMMENTED_RECORD,
      { to: 'revoked', id: 'gama' },
      'gama; did you mean `gamma`?',
    ],
    ['of an id that climbs', COMMENTED_RECORD, { to: 'suspended', id: '../key' }, 'no record of ../key'],
    ['of an id that is a pattern', COMMENTED_RECORD, { to: 'suspended', id: '*' }, 'no record of *'],
    ['after a revocation', withLine('status: revoked'), { to: 'active' }, 'already revoked, which is final'],
    [
      'for an empty reason',
      COMMENTED_RECORD,
      { to: 'suspended', reason: ' \n' },
      '--reason must not be empty',
    ],
    [
      'for a reason of 301 characters',
      COMMENTED_RECORD,
      { to: 'suspended', reason: '\u{1f511}'.repeat(301) },
      '--reason has 301 characters',
    ],
    [
      'for a reason with a character that looks like none',
      COMMENTED_RECORD,
      { to: 'suspended', reason: 'leaked\u3164' },
      'invisible',
    ],
    ['for half of a character', COMMENTED_RECORD, { to: 'suspended', reason: 'leaked\ud83d' }, 'invisible'],
    ...['<REASON>', 'REASON', 'text'].map((reason): [string, string, Change, string] => [
      `for ${reason}, which stands for a reason in printed commands`,
      COMMENTED_RECORD,
      { to: 'suspended', reason },
      `in place of ${reason}`,
    ]),
    [
      'in a pair of braces',
      '{ issuer_id: gamma, status: active }\n',
      { to: 'suspended' },
      'change it by hand',
    ],
    ['in a block of lines', withLine('status:   |-\n  active'), { to: 'suspended' }, 'change it by hand'],
  ])('%s', (_what, text, change, message) => {
    const attempt = () => edited(text, change);
    expect(attempt).toThrow(expect.objectContaining({ code: 'ERR_USAGE' }));
    expect(attempt).toThrow(message);
  });
});
