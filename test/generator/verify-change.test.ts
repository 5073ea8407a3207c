import { describe, expect, it } from 'vitest';
import { TreeRejected } from '../../build/index.js';
import { type ListBytes, listBytes } from '../../build/list.js';
import { assertChangeGood } from '../../build/verify-change.js';

/** The canonical bytes of a record. */
function record(issuer_id: string, changes: object = {}): Buffer {
  const base = `https://${issuer_id}.example/.well-known`;
  return Buffer.from(
    JSON.stringify({
      certified_since: '2026-01-01T00:00:00Z',
      discovery_uri: `${base}/openid-configuration`,
      issuer_id,
      jwks_uri: `${base}/jwks.json`,
      status: 'active',
      tier: 'certified',
      ...changes,
    }),
  );
}

const TIME = '2026-11-21T08:00:00Z';
const RECORDS = new Map(['alpha', 'beta', 'gamma'].map((id) => [id, record(id)]));
const BETA = new Map([['beta', record('beta')]]);

describe('a list in which one record is new', () => {
  it('is good when the record is, and the list is made of all', () => {
    expect(() => assertChangeGood(listBytes(RECORDS, TIME), BETA)).not.toThrow();
    expect(() => assertChangeGood(listBytes(RECORDS, TIME), new Map())).not.toThrow();
  });

  it.each<[string, Buffer]>([
    ['of no status that there is', record('beta', { status: 'famous' })],
    ['with a field that there is not', record('beta', { zeal: 'great' })],
    ['without its keys', record('beta', { jwks_uri: undefined })],
    ['in another order', Buffer.from(`${record('beta')}`.replace(/^\{(.*?),/, '{').replace(/\}$/, ',$1}'))],
    ['with a space', Buffer.from(`${record('beta')}`.replace(':', ': '))],
    ['of another', record('alpine')],
    ['that is no JSON', Buffer.from('{')],
    ['that is two', Buffer.concat([record('beta'), Buffer.from(','), record('beta2')])],
  ])('is refused when the record is one %s', (_what, bytes) => {
    const changed = new Map([['beta', bytes]]);
    const list = listBytes(new Map([...RECORDS, ...changed]), TIME);
    expect(() => assertChangeGood(list, changed)).toThrow(TreeRejected);
  });

  const good = listBytes(RECORDS, TIME);
  const altered = (edit: (text: string) => string): ListBytes => ({
    ...good,
    list: Buffer.from(edit(Buffer.from(good.list).toString())),
  });

  it.each<[string, ListBytes]>([
    ['its records are not sorted', listBytes(new Map([...RECORDS].reverse()), TIME)],
    ['a byte of an old record is another', altered((text) => text.replace('gamma.example', 'gamma.exemple'))],
    ['a record is missing', altered((text) => text.replace(`,${RECORDS.get('gamma')}`, ''))],
    ['there is one too many', altered((text) => text.replace(']', `,${record('omega')}]`))],
    ['it bears another time', altered((text) => text.replace(TIME, '2027-11-21T08:00:00Z'))],
    ['it begins with something else', altered((text) => text.replace('{"issuers', '{"Issuers'))],
    ['something follows it', altered((text) => `${text} `)],
  ])('is refused when %s', (_what, list) => {
    expect(() => assertChangeGood(list, BETA)).toThrow('does not stand its verification');
  });
});
