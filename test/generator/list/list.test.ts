import { describe, expect, it } from 'vitest';
import { listBytes, withUpdatedAt } from '../../../build/generator/list/list.js';
import fc from '../../support/fast-check.js';

const TIME = '2026-11-21T08:00:00Z';

describe('the bytes of a list', () => {
  it('are those of its records with commas between them, wherever these lie in memory', () => {
    const part = fc.record({
      record: fc.constantFrom('{}', '{"issuer_id":"a"}', '{"issuer_id":"b"}'),
      // What stands before it: nothing, or what could be taken for a comma.
      gap: fc.constantFrom('', ',', '.', ',,'),
      elsewhere: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const memory = Buffer.from(parts.map(({ gap, record }) => gap + record).join(''));
        const records = new Map<string, Uint8Array>();
        let end = 0;
        for (const [index, { gap, record, elsewhere }] of parts.entries()) {
          const start = end + gap.length;
          end = start + record.length;
          records.set(`${index}`, elsewhere ? Buffer.from(record) : memory.subarray(start, end));
        }
        const expected = `{"issuers":[${parts.map(({ record }) => record).join(',')}],"updated_at":"${TIME}"}`;
        const later = withUpdatedAt(listBytes(records, '2026-01-01T00:00:00Z'), TIME);
        for (const { list } of [listBytes(records, TIME), later])
          expect(Buffer.from(list).toString()).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});
