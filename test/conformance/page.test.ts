import { expect, it } from 'vitest';
import type { Case } from '../../build/conformance/cases/index.js';
import { PageReader } from '../../build/conformance/roles/page.js';
import { allOf } from '../support/cases.js';

it('the page says what the client says', async () => {
  const page = new PageReader();
  const [good] = await allOf('golden/checkpoint');
  const [bad] = await allOf('signature/checkpoint/zeros');
  try {
    expect(await page.see(good as Case)).toEqual({ verdict: 'accept', code: '', more: 3 });
    expect(await page.see(bad as Case)).toEqual({
      verdict: 'refuse',
      code: 'ERR_SIGNATURE_INVALID',
      more: null,
    });
  } finally {
    await page.close();
  }
});
