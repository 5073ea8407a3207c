import { base64url, jcs, textOf, unbase64, utf8 } from './encoding.js';
import type { Key } from './keys.js';

/** The members of a header or the claims of a payload. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * Signs a statement as a publisher does: header and claims are canonical. Members that are undefined are left out.
 *
 * @param header - `typ`, and members that are not the usual
 */
export function jwt(signer: Key, header: { readonly typ: string } & Members, claims: Members): string {
  return rawJwt(signer, jcs({ alg: signer.alg, kid: signer.thumbprint, ...header }), jcs(claims));
}

/** Signs any two texts, valid JSON or not. */
export function rawJwt(signer: Key, header: string, payload: string): string {
  const input = `${base64url(utf8(header))}.${base64url(utf8(payload))}`;
  return `${input}.${base64url(signer.sign(utf8(input)))}`;
}

/** Decodes a statement of a golden tree. */
export function decodeJwt(text: string): { readonly header: Members; readonly claims: Members } {
  const [header = '', payload = ''] = text.split('.');
  const parse = (part: string) => JSON.parse(textOf(unbase64(part))) as Members;
  return { header: parse(header), claims: parse(payload) };
}
