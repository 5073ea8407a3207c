import { expect, it } from 'vitest';
import type { Case } from '../../build/conformance/cases/case.js';
import { startMirror, startPage } from '../../build/conformance/ours.js';
import type { Program } from '../../build/conformance/runner/program.js';
import { run } from '../../build/conformance/runner/run.js';
import { connect, describeInChromium } from '../support/browser.js';
import { kitOf } from '../support/kit.js';
import { sample } from '../support/soak.js';

/** The cases whose verdict is not the right one. */
async function wrong(cases: readonly Case[], start: () => Program) {
  const role = cases[0]?.role ?? 'auditor';
  const { results } = await run(cases, { role, start, xfails: new Set(), timeoutMs: 60_000 });
  return results.filter(({ outcome }) => outcome !== 'passed');
}

/** What a mirror repairs, leaves out or does not keep. */
const REPAIRED =
  /^auditor\/(file|statements)\/|\/missing\/a record|a sums file too many|a hidden file|statements\.json|\.htaccess/;
/** Files of a log or of a later version that no head and no SHA256SUMS names, and tiles, which follow from the entries. */
const NOT_KEPT =
  /an odd file that is not listed|\/log\/(a file that does not belong|a kept list with another|a proof of an entry that is no|.* tile)/;

it('the mirror takes what an auditor accepts, and nothing else, unless it can repair it', async () => {
  const audited = (await kitOf('auditor')).filter(({ id }) => !REPAIRED.test(id) && !NOT_KEPT.test(id));
  expect(await wrong(sample(audited, 90, 7), startMirror)).toEqual([]);
});

describeInChromium('the page in Chromium', () => {
  it('shows what a client accepts', async () => {
    const chosen = [
      'good/checkpoint',
      'good/witnessed',
      'publication/sequence absent',
      'publication/online with 17 keys',
    ];
    const cases = (await kitOf('client')).filter(({ id }) => chosen.includes(id.replace('client/', '')));
    expect(cases).toHaveLength(chosen.length);
    expect(await wrong(cases, () => startPage(connect))).toEqual([]);
  });
});
