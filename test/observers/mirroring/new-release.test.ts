import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memorySource } from 'passport-registry';
import { describe, expect, it } from 'vitest';
import { HeldRelease } from '../../../build/observers/mirroring/held-release.js';
import { NewRelease } from '../../../build/observers/mirroring/new-release.js';
import { sha256 } from '../../support/sha256.js';
import { temporaryFolder, writeFiles } from '../../support/workspace.js';

const PATH = 'log/statements/0.jwt';
const [GOOD, EVIL] = [Buffer.from('good'), Buffer.from('evil')];

describe('a file of the release being served, once it is linked into a new release, is written by no', () => {
  const writers: [string, (release: NewRelease) => unknown][] = [
    ['file with another hash', (release) => release.addOwn(PATH, EVIL, sha256(EVIL))],
    ['file that was made', (release) => release.addMade(PATH, EVIL)],
    ['unlisted file', (release) => release.addUnlisted(PATH, EVIL)],
    ['downloaded file', (release) => release.fetchUnlisted(PATH)],
  ];
  const linkers: [string, (release: NewRelease) => unknown][] = [
    ['by its hash', (release) => release.addAll([{ path: PATH, hash: sha256(GOOD), statedIn: 'a list' }])],
    ['by its content', (release) => release.addMade(PATH, GOOD)],
  ];

  it.each(writers)('%s', async (_what, write) => {
    for (const [how, link] of linkers) {
      const [served, fresh] = [temporaryFolder(), temporaryFolder()];
      writeFiles(served, { [PATH]: GOOD });
      const source = memorySource(new Map([[PATH, EVIL]]));
      const release = new NewRelease(source, fresh, new HeldRelease(served));
      await link(release);
      const outcome = await Promise.resolve()
        .then(() => write(release))
        .catch((error: Error) => error);
      expect([how, outcome]).toEqual([
        how,
        expect.objectContaining({ message: expect.stringMatching(/EEXIST/) }),
      ]);
      expect(readFileSync(join(served, PATH))).toEqual(GOOD);
    }
  });
});
