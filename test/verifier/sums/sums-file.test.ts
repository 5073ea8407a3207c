import { SumsInvalid } from '@passport-registry/verifier';
import { readSums } from '@passport-registry/verifier/internal';
import { describe, expect, it } from 'vitest';
import { placeOf } from '../../support/sums.js';

const HASH = 'ab'.repeat(32);
const line = (path: string, hash = HASH) => `${hash}  ${path}\n`;
const bytes = (text: string | Uint8Array) =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text;
const read = (text: string | Uint8Array, prefix = '', levels = 0) =>
  readSums(bytes(text), { prefix, levels });

/** Ids whose places begin with a prefix, sorted. */
function idsAt(prefix: string, count: number): string[] {
  const ids: string[] = [];
  for (let number = 0; ids.length < count; number++) {
    const id = `id-${String(number).padStart(5, '0')}`;
    if (placeOf(id).startsWith(prefix)) ids.push(id);
  }
  return ids;
}

describe('a leaf of the tree of sums', () => {
  const [first = '', second = ''] = idsAt('3', 2);

  it('lists records below its prefix', () => {
    const sums = read(line(`issuers/${first}`) + line(`issuers/${second}`, 'cd'.repeat(32)), '3', 1);
    expect([...sums]).toEqual([
      [`issuers/${first}`, HASH],
      [`issuers/${second}`, 'cd'.repeat(32)],
    ]);
  });

  it('may be the root, with any id, and empty', () => {
    expect([...read(line('issuers/a') + line(`issuers/${'z'.repeat(128)}`)).keys()]).toHaveLength(2);
    expect(read('').size).toBe(0);
    expect(read('', '', 8).size).toBe(0);
  });

  it('may have a prefix of eight digits', () => {
    const place = placeOf('alpha').slice(0, 8);
    expect(read(line('issuers/alpha'), place, 8).size).toBe(1);
    expect(() => read(line('issuers/beta'), place, 8)).toThrow('does not belong there');
  });

  it.each([
    ['an id of 129 characters', line(`issuers/${'z'.repeat(129)}`)],
    ['an id in upper case', line('issuers/Alpha')],
    ['an id that is reserved', line('issuers/index')],
    ['an id with two dots', line('issuers/a..b')],
    ['an id that is a host name of files', line('issuers/.htaccess')],
    ['no id', line('issuers/')],
    ['a folder below', line('issuers/a/b')],
    ['another folder', line('other/alpha')],
    ['a path that leads out', line('../issuers/alpha')],
    ['an absolute path', line('/issuers/alpha')],
    ['a sums file', line('sums/3')],
    ['no folder', line('alpha')],
  ])('refuses %s', (_name, text) => {
    expect(() => read(text)).toThrow(SumsInvalid);
  });

  it('refuses a record of another branch', () => {
    const [other = ''] = idsAt('4', 1);
    expect(() => read(line(`issuers/${other}`), '3', 1)).toThrow(
      `lists issuers/${other}, which does not belong there`,
    );
  });

  it('refuses lines out of order, and two lines of one path', () => {
    expect(() => read(line(`issuers/${second}`) + line(`issuers/${first}`), '3', 1)).toThrow('out of order');
    expect(() => read(line(`issuers/${first}`).repeat(2), '3', 1)).toThrow('twice');
    const other = line(`issuers/${first}`) + line(`issuers/${first}`, 'cd'.repeat(32));
    expect(() => read(other, '3', 1)).toThrow('twice');
  });

  it('sorts by code units: - before . before digits before _', () => {
    const ids = ['a', 'a-b', 'a.b', 'a0', 'a_b', 'ab'];
    expect(read(ids.map((id) => line(`issuers/${id}`)).join('')).size).toBe(6);
    for (let at = 1; at < ids.length; at++) {
      const swapped = [...ids.slice(0, at - 1), ids[at], ids[at - 1], ...ids.slice(at + 1)];
      expect(() => read(swapped.map((id) => line(`issuers/${id}`)).join(''))).toThrow('out of order');
    }
  });
});

describe('an inner file of the tree of sums', () => {
  it('lists its children', () => {
    const digits = [...'0123456789abcdef'];
    expect(read(digits.map((digit) => line(`sums/${digit}`)).join(''), '', 1).size).toBe(16);
    expect(read(digits.map((digit) => line(`sums/3f${digit}`)).join(''), '3f', 3).size).toBe(16);
    expect(read(line('sums/f'), '', 8).size).toBe(1);
  });

  it.each([
    ['the root', 'sums/root', '', 1],
    ['the file itself', 'sums/3', '3', 2],
    ['a grandchild', 'sums/3f0', '3', 3],
    ['a child of another file', 'sums/4f', '3', 2],
    ['a digit that is not hexadecimal', 'sums/3g', '3', 2],
    ['an upper-case digit', 'sums/3F', '3', 2],
    ['no digit', 'sums/', '', 1],
    ['a record', 'issuers/alpha', '', 1],
    ['another folder', 'other/3', '', 1],
  ] as const)('refuses %s', (_name, path, prefix, levels) => {
    expect(() => read(line(path), prefix, levels)).toThrow(SumsInvalid);
  });

  it('refuses children out of order, and a child twice', () => {
    expect(() => read(line('sums/4') + line('sums/3'), '', 1)).toThrow('out of order');
    expect(() => read(line('sums/3').repeat(2), '', 1)).toThrow('twice');
  });

  it('is not empty below the root', () => {
    expect(() => read('', '3', 2)).toThrow('sums/3 is empty');
    expect(() => read('', '3f', 2)).toThrow('sums/3f is empty');
  });
});

describe('a line of a sums file', () => {
  const good = line('issuers/alpha');
  it.each([
    ['no newline at the end', good.slice(0, -1)],
    ['a second newline at the end', `${good}\n`],
    ['an empty line', `\n${good}`],
    ['an empty line between', `${good}\n${line('issuers/beta')}`],
    ['a carriage return', good.replace('\n', '\r\n')],
    ['only carriage returns', good.replace('\n', '\r')],
    ['a byte order mark', `\uFEFF${good}`],
    ['upper-case digits', line('issuers/alpha', HASH.toUpperCase())],
    ['63 digits', line('issuers/alpha', HASH.slice(1))],
    ['65 digits', line('issuers/alpha', `${HASH}a`)],
    ['a digit that is not hexadecimal', line('issuers/alpha', `g${HASH.slice(1)}`)],
    ['no digits', '  issuers/alpha\n'],
    ['one space', good.replace('  ', ' ')],
    ['three spaces', good.replace('  ', '   ')],
    ['a tab', good.replace('  ', '\t')],
    ['the mark of binary files', good.replace('  ', ' *')],
    ['the mark of escaped paths', `\\${good}`],
    ['the form of BSD', `SHA256 (issuers/alpha) = ${HASH}\n`],
    ['a space before', ` ${good}`],
    ['a space after', good.replace('\n', ' \n')],
    ['no path', `${HASH}  \n`],
    ['a comment', `# sums\n${good}`],
    ['a NUL', good.replace('alpha', 'al\0ha')],
    ['a letter outside ASCII', good.replace('alpha', 'älpha')],
    ['a letter that folds to ASCII', good.replace('alpha', '\u212Aappa')],
    ['a line separator', good.replace('\n', '\u2028')],
    ['only a newline', '\n'],
    ['only a space', ' '],
  ])('is refused with %s', (_name, text) => {
    expect(() => read(text)).toThrow(SumsInvalid);
  });

  it.each([
    ['a byte that begins nothing', [0xff]],
    ['a continuation byte alone', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['UTF-16', [...Buffer.from(good, 'utf16le')]],
  ])('is refused with %s', (_name, wrong) => {
    expect(() => read(Uint8Array.from([...bytes(good), ...wrong]))).toThrow(SumsInvalid);
  });

  it('is refused as the last of many, and the message names the file', () => {
    const ids = idsAt('', 64);
    const text = ids.map((id) => line(`issuers/${id}`)).join('');
    expect(read(text).size).toBe(64);
    expect(() => read(`${text}x\n`)).toThrow('sums/root has a line that is not in the format of coreutils');
    const code = (() => {
      try {
        return read(`${text}x\n`);
      } catch (error) {
        return (error as SumsInvalid).code;
      }
    })();
    expect(code).toBe('ERR_SUMS_INVALID');
  });
});
