import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { assertWritten } from '../../../build/generator/publishing/read-back.js';
import { temporaryFolder, writeFiles } from '../../support/workspace.js';

const TREE = new Map([
  ['issuers.json', Buffer.from('{"issuers":[]}')],
  ['issuers/alpha', Buffer.from('{}')],
]);
const PATHS = [...TREE.keys()];

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
  writeFiles(folder, Object.fromEntries(TREE));
});

describe('what was written', () => {
  it('is what the disk gives back', () => {
    expect(() => assertWritten(TREE, PATHS, folder)).not.toThrow();
  });

  it.each<[string, () => void, string]>([
    ['has another byte', () => writeFileSync(join(folder, 'issuers/alpha'), '{]'), 'issuers/alpha'],
    ['is shorter', () => writeFileSync(join(folder, 'issuers/alpha'), '{'), 'issuers/alpha'],
    ['is gone', () => rmSync(join(folder, 'issuers.json')), 'issuers.json'],
  ])('is noticed when it %s', (_what, damage, problem) => {
    damage();
    expect(() => assertWritten(TREE, PATHS, folder)).toThrow(problem);
  });
});
