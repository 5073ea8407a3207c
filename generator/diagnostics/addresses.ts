import { domainToASCII } from 'node:url';
import { GRAMMAR } from '@passport-registry/verifier/core';
import { UNPRINTABLE } from '@passport-registry/verifier/printable';
import { unicodeName } from './printable.js';

/** Matches white space, visible or not, and characters that nobody sees. */
const HIDDEN = new RegExp(`\\s|${UNPRINTABLE.source}|\\p{DI}`, 'u');

/** Says what to do about an address or a URL with a character that the reader may not see. */
function hiddenCharacter(text: string): string | undefined {
  const [character] = HIDDEN.exec(text) ?? [];
  if (character === undefined) return undefined;
  const name = character === ' ' ? 'the space' : `the invisible character ${unicodeName(character)}`;
  return text.trim() === text
    ? `remove ${name}`
    : `remove ${name} at the ${text.trimStart() === text ? 'end' : 'start'}`;
}

/** Says what to do about an e-mail address that the schema refuses: the reason, and the form that is accepted. */
export function emailRemedy(text: string): string | undefined {
  const [, angled] = /<([^<>]*)>\s*$/.exec(text) ?? [];
  const address = (angled ?? text.replace(/^mailto:/i, '')).trim();
  // White space of another kind looks like nothing, or like a space.
  if (/^[^\S ]|[^\S ]$/.test(text)) return hiddenCharacter(text);
  if (address !== text && GRAMMAR.email.pattern.test(address)) return `write only ${address}`;
  const hidden = hiddenCharacter(address);
  if (address.includes('\uff20')) return 'write @ in place of the wide character U+FF20';
  if (/[,;]/.test(address)) return 'write one address, without commas and semicolons';
  if (hidden !== undefined) return hidden;
  const at = address.lastIndexOf('@');
  if (at === -1) return 'write an address with an @';
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const [foreign] = /[^ -~]/u.exec(local) ?? [];
  if (foreign !== undefined)
    return `only ASCII is accepted before the @: use an address without ${unicodeName(foreign)}`;
  if (local === '' || local.length > 64) return 'write 1 to 64 characters before the @';
  if (!GRAMMAR.email.pattern.test(`${local}@issuer.example`))
    return 'before the @, write letters, digits and single dots, without quotes';
  const ofHost = hostRemedy(domain);
  if (ofHost !== undefined) {
    const ascii = `${local}@${domainToASCII(domain)}`;
    return GRAMMAR.email.pattern.test(ascii) && !isAscii(domain)
      ? `write the domain in punycode: ${ascii}`
      : ofHost;
  }
  return domain.includes('.') ? undefined : 'write a domain with a dot, such as issuer.example';
}

const isAscii = (text: string) => /^[ -~]*$/.test(text);

/** Says what to do about a host name that the schema refuses. */
function hostRemedy(host: string): string | undefined {
  if (/^\[|:.*:/.test(host)) return 'write a host name: IPv6 addresses are not accepted';
  if (!isAscii(host)) {
    const ascii = domainToASCII(host);
    return ascii === '' ? 'correct the host' : `write the host in punycode: ${ascii}`;
  }
  if (host.includes('_'))
    return 'use a host without an underscore: host names have letters, digits, hyphens and dots only';
  if (host.endsWith('.')) return 'remove the dot at the end of the host';
  if (host.split('.').some((label) => label === '')) return 'write one dot between two parts of the host';
  if (host.split('.').some((label) => label.length > 63))
    return 'write at most 63 characters between two dots of the host';
  if (/(?:^|\.)-|-(?:\.|$)/.test(host)) return 'a part of the host begins or ends with a hyphen: remove it';
  const [refused] = /[^A-Za-z0-9.-]/.exec(host) ?? [];
  return refused === undefined ? undefined : `remove ${refused} from the host`;
}

/** Says what to do about a URL that the schema refuses: the reason, and the form that is accepted. */
export function uriRemedy(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text.trimStart())) return 'start the URL with https:// and a host name';
  const hidden = hiddenCharacter(text);
  if (hidden !== undefined) return / /.test(text.trim()) ? `${hidden}, or write it as %20` : hidden;
  const [, authority = '', rest = ''] = /^https?:\/\/([^/?#\\]*)(.*)$/is.exec(text) ?? [];
  if (authority.includes('@')) return 'remove the user name before the @';
  if (authority === '') return 'write a host name after //';
  if (authority.endsWith(':')) return 'write a port after the colon, or remove the colon';
  const host = /:.*:/.test(authority) ? authority : authority.replace(/:\d+$/, '');
  const ofHost = hostRemedy(host);
  if (ofHost !== undefined) return ofHost;
  if (!URL.canParse(text)) return 'correct the host or the port: no browser can open this URL';
  if (rest.startsWith('\\')) return 'write / in place of \\';
  if (/%(?![0-9A-Fa-f]{2})/.test(rest)) return 'write % as %25, unless two hexadecimal digits follow it';
  if (/#.*#/.test(rest)) return 'write the second # as %23';
  const [refused] = /[^A-Za-z0-9._~!$&'()*+,;=:@/?#%-]/u.exec(rest) ?? [];
  return refused === undefined ? undefined : `write ${refused} as ${percentEncoded(refused)}`;
}

function percentEncoded(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
