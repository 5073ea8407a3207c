import { withStrayBits } from './encoding.js';

/** Texts of JSON that parsers read differently, made of the canonical text of an object. */
export const JSON_TRAPS: Readonly<Record<string, (object: string) => string>> = {
  'white space': (text) => ` \t\r\n${text.replaceAll('":', '" : ')}\n`,
  'a vertical tab': (text) => `\v${text}`,
  'a byte order mark': (text) => `\uFEFF${text}`,
  'something after': (text) => `${text}x`,
  'an object after': (text) => `${text}{}`,
  'a comment': (text) => text.replace('{', '{/**/'),
  'a comma at the end': (text) => text.replace(/\}$/, ',}'),
  'single quotes': (text) => text.replaceAll('"', "'"),
  'members in another order': (text) => text.replace(/^\{(.*?),(".*)\}$/, '{$2,$1}'),
  'a member twice': (text) => text.replace(/\}$/, ',"note":1,"note":1}'),
  'a member twice in two spellings': (text) => text.replace(/\}$/, ',"note":1,"n\\u006fte":1}'),
  'a nested member twice': (text) => text.replace(/\}$/, ',"note":{"a":1,"a":2}}'),
  __proto__: (text) => text.replace(/\}$/, ',"__proto__":{"iat":1}}'),
  'an empty name': (text) => text.replace(/\}$/, ',"":1}'),
  'the largest number': (text) => text.replace(/\}$/, ',"note":9007199254740991}'),
  'a number that is too large': (text) => text.replace(/\}$/, ',"note":9007199254740992}'),
  'a number that is too small': (text) => text.replace(/\}$/, ',"note":-9007199254740992}'),
  'a number that rounds to the limit': (text) => text.replace(/\}$/, ',"note":9007199254740991.4}'),
  'an infinite number': (text) => text.replace(/\}$/, ',"note":1e400}'),
  'a tiny number': (text) => text.replace(/\}$/, ',"note":1e-400}'),
  'a nested number that is too large': (text) => text.replace(/\}$/, ',"note":[[1e300]]}'),
  'minus zero': (text) => text.replace(/\}$/, ',"note":-0}'),
  'a leading zero': (text) => text.replace(/\}$/, ',"note":01}'),
  'a plus sign': (text) => text.replace(/\}$/, ',"note":+1}'),
  NaN: (text) => text.replace(/\}$/, ',"note":NaN}'),
  'a hexadecimal number': (text) => text.replace(/\}$/, ',"note":0x1}'),
  'a lone surrogate': (text) => text.replace(/\}$/, ',"note":"\\ud800"}'),
  'a pair of surrogates': (text) => text.replace(/\}$/, ',"note":"\\ud83d\\ude00"}'),
  'a raw control character': (text) => text.replace(/\}$/, ',"note":"\u0001"}'),
  'an escaped NUL': (text) => text.replace(/\}$/, ',"note":"\\u0000"}'),
  'an unknown escape': (text) => text.replace(/\}$/, ',"note":"\\x"}'),
  'a depth of 500': (text) => text.replace(/\}$/, `,"note":${'['.repeat(499)}${']'.repeat(499)}}`),
  'a depth of 501': (text) => text.replace(/\}$/, `,"note":${'['.repeat(500)}${']'.repeat(500)}}`),
  'an array': (text) => `[${text}]`,
  'a text': (text) => JSON.stringify(text),
  null: () => 'null',
  nothing: () => '',
  'an open object': (text) => text.slice(0, -1),
};

/** Those of the traps that are strict JSON (rule strict-json). All others are not, or are no object. */
export const GOOD_JSON: readonly string[] = [
  ...['white space', 'members in another order', '__proto__', 'an empty name', 'the largest number'],
  ...['a number that rounds to the limit', 'a tiny number', 'minus zero', 'a lone surrogate'],
  ...['a pair of surrogates', 'an escaped NUL', 'a depth of 500'],
];

/** Integers in other spellings, in the payload. */
export const NUMBER_TRAPS: Readonly<Record<string, (object: string) => string>> = {
  'iat with a fraction of zero': (text) => text.replace(/"iat":(\d+)/, '"iat":$1.0'),
  'iat with an exponent': (text) => text.replace(/"iat":(\d+)/, '"iat":$1e0'),
  'iat with a large exponent': (text) => text.replace(/"iat":(\d+)/, '"iat":0.$1e10'),
  'iat with a fraction': (text) => text.replace(/"iat":(\d+)/, '"iat":$1.5'),
  'iat twice': (text) => text.replace(/"iat":(\d+)/, '"iat":$1,"iat":$1'),
  'iat minus zero': (text) => text.replace(/"iat":\d+/, '"iat":-0'),
  'sequence with a fraction of zero': (text) => text.replace(/"sequence":(\d+)/, '"sequence":$1.0'),
  'size with an exponent': (text) => text.replace(/"size":(\d+)/, '"size":$1e0'),
  'step with a fraction of zero': (text) => text.replace(/"step":(\d+)/, '"step":$1.0'),
};

/** Those that are the same integers, or another one that is right. */
export const GOOD_NUMBERS: readonly string[] = [
  ...['iat with a fraction of zero', 'iat with an exponent', 'iat with a large exponent'],
  ...['sequence with a fraction of zero', 'size with an exponent', 'step with a fraction of zero'],
];

/** Compact JWS in other forms, made of a good one. */
export const FORMS: Readonly<Record<string, (jwt: string) => string>> = {
  'a newline at the end': (text) => `${text}\n`,
  'a space before': (text) => ` ${text}`,
  'two parts': (text) => text.split('.').slice(0, 2).join('.'),
  'four parts': (text) => `${text}.e30`,
  'a dot at the end': (text) => `${text}.`,
  'no signature': (text) => `${text.split('.').slice(0, 2).join('.')}.`,
  'no payload': (text) => text.replace(/\..*\./, '..'),
  'padding in the header': (text) => text.replace('.', '=.'),
  'padding in the signature': (text) => `${text}==`,
  'a plus': (text) => text.replace(/\.[^.]{3}/, '.+++'),
  'white space inside': (text) => text.replace('.', '.\n'),
  'stray bits in the signature': withStrayBits,
  'a byte order mark': (text) => `\uFEFF${text}`,
  'a JSON serialization': (text) => JSON.stringify({ payload: text.split('.')[1], signatures: [] }),
  'another case': (text) => text.toLowerCase(),
};

/** Makes a text of exactly a size, from two texts that fill the room. Not every length of one part exists in base64url. */
export function ofSize(size: number, make: (pad: string, note: string) => string): string {
  const empty = make('', '').length;
  const room = Math.floor((size - empty) * 0.75);
  for (let less = 0; less < 8; less++) {
    for (const pad of ['', 'x', 'xx']) {
      const made = make(pad, 'x'.repeat(room - less));
      if (made.length === size) return made;
    }
  }
  throw new Error(`no statement has ${size} bytes`);
}

export const LINES: Readonly<Record<string, (text: string) => string>> = {
  'no newline at the end': (text) => text.slice(0, -1),
  'an empty line': (text) => `${text}\n`,
  'carriage returns': (text) => text.replaceAll('\n', '\r\n'),
  capitals: (text) => text.replace(/^[0-9a-f]{64}/, (hex) => hex.toUpperCase()),
  'one space': (text) => text.replace('  ', ' '),
  'a star': (text) => text.replace('  ', ' *'),
  'a line twice': (text) => text.replace(/^(.*\n)/, '$1$1'),
  'another order': (text) => text.replace(/^(.*\n)(.*\n)/, '$2$1'),
  'a comment': (text) => `# comment\n${text}`,
  'a byte order mark': (text) => `\uFEFF${text}`,
  'a file that is not there': (text) => `${text}${'0'.repeat(64)}  zzz\n`,
  'a path out of the tree': (text) => `${text}${'0'.repeat(64)}  ../x\n`,
  'a path with a dot': (text) => `${text}${'0'.repeat(64)}  ./x\n`,
  'an absolute path': (text) => `${text}${'0'.repeat(64)}  /x\n`,
  'a path with a space': (text) => `${text}${'0'.repeat(64)}  a b\n`,
  itself: (text) => `${text}${'0'.repeat(64)}  SHA256SUMS\n`,
  'the statements': (text) => `${text}${'0'.repeat(64)}  statements.json\n`,
  'the signature': (text) => `${text}${'0'.repeat(64)}  issuers.sig\n`,
  'a list': (text) => `${text}${'0'.repeat(64)}  lists/${'0'.repeat(64)}.json\n`,
  'a record': (text) => `${text}${'0'.repeat(64)}  issuers/alpha\n`,
  'the wrong hash': (text) => text.replace(/^[0-9a-f]{64}/, '0'.repeat(64)),
  'a hash too short': (text) => text.replace(/^[0-9a-f]/, ''),
  'no lines': () => '',
  'a line less': (text) => text.replace(/^.*\n/, ''),
  'bytes that are not UTF-8': (text) => `${text}\uFFFF`,
};

/** A head and a proof in other forms. The log has signed none of the changes, unless the change is outside of what it signs. */
export const NOTES: Readonly<Record<string, (text: string) => string>> = {
  'no newline at the end': (text) => text.slice(0, -1),
  'an empty line more': (text) => `${text}\n`,
  'carriage returns': (text) => text.replaceAll('\n', '\r\n'),
  'no signatures': (text) => text.replace(/— [\s\S]*$/, ''),
  'a hyphen': (text) => text.replace('—', '-'),
  'a signature line twice': (text) => text.replace(/(— .*\n)/, '$1$1'),
  'signature lines in another order': (text) => text.replace(/(— .*\n)(— .*\n)/, '$2$1'),
  'a line of a stranger': (text) => `${text}— stranger.example AAAAAAAA\n`,
  'a line without a signature': (text) => `${text}— stranger.example\n`,
  'a line with bad base64': (text) => `${text}— stranger.example ????\n`,
  'a hundred lines of strangers': (text) =>
    text + Array.from({ length: 100 }, (_one, at) => `— s${at}.example ${btoa('12345678')}\n`).join(''),
  'a wrong cosignature': (text) => text.replace(/(— two\.example .{20})./, (_all, start) => `${start}A`),
  'a wrong signature of the log': (text) =>
    text.replace(/(— registry\.example\/log .{20})./, (_all, start) => `${start}A`),
  'an extension line': (text) => text.replace(/\n\n—/, '\nextension\n\n—'),
  'a size with a zero': (text) => text.replace(/(log\n)(\d+\n)/, '$10$2'),
  'a size with a plus': (text) => text.replace(/(log\n)(\d+\n)/, '$1+$2'),
  'another size': (text) => text.replace(/(log\n)\d+\n/, '$19\n'),
  'another origin': (text) => text.replace(/registry\.example\/log\n/, 'another.example/log\n'),
  'a root without padding': (text) => text.replace(/(\n\d+\n[^\n]+)=\n/, '$1\n'),
  'a byte order mark': (text) => `\uFEFF${text}`,
  'an index with a zero': (text) => text.replace(/index (\d)/, 'index 0$1'),
  'another index': (text) => text.replace(/index \d+/, 'index 0'),
  'a large index': (text) => text.replace(/index \d+/, 'index 9007199254740991'),
  'no index': (text) => text.replace(/index .*\n/, ''),
  'a hash less': (text) => text.replace(/(index .*\n).*\n/, '$1'),
  'a hash twice': (text) => text.replace(/(index .*\n)(.*\n)/, '$1$2$2'),
  'another format': (text) => text.replace('@v1', '@v2'),
  'a line extra': (text) => text.replace('index', 'extra AAAA\nindex'),
  'a line extra that is no base64': (text) => text.replace('index', 'extra ?\nindex'),
  'a line extra without padding': (text) => text.replace('index', 'extra AA\nindex'),
  'no empty line': (text) => text.replace('\n\n', '\n'),
};
