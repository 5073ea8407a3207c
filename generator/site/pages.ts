import { readFileSync } from 'node:fs';
import type { RootKey } from '@passport-registry/verifier';
import type { ListBytes } from '../list.js';
import { filled, Html, html } from './html.js';
import { plainList } from './plain-list.js';

/**
 * What a page may do: run its own script, wear its own style, ask its own host. No text becomes markup even if the script
 * tried (Trusted Types). It stands in the pages themselves, so that it holds on every mirror.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** A file of the page as the package ships it. */
export function websiteFile(name: string): Uint8Array {
  return readFileSync(new URL(`../website/${name}`, import.meta.url));
}

const template = (name: string) => new TextDecoder().decode(websiteFile(name));

/** What the page at the registry's address shows. */
export interface IndexPageParts {
  readonly list: ListBytes;
  /** The key whose thumbprint the page pins. */
  readonly rootKey: RootKey;
  readonly development: boolean;
}

/** The page at the registry's address: index.html. */
export function indexPage({ list, rootKey, development }: IndexPageParts): string {
  return filled(template('index.html'), {
    policy: html`${CONTENT_SECURITY_POLICY}`,
    root_key: html`${rootKey.thumbprint}`,
    development: development ? DEVELOPMENT_NOTICE : new Html(''),
    list: plainList(list),
    tool_commands: html`${TOOL_COMMANDS}`,
    plain_commands: html`${plainCommands(rootKey)}`,
  });
}

/** The page for an address at which there is nothing: 404.html. It says the same in every registry. */
export function notFoundPage(): string {
  return filled(template('404.html'), { policy: html`${CONTENT_SECURITY_POLICY}` });
}

const DEVELOPMENT_NOTICE = html`<p class="development"><strong>Signed by a development key.</strong> Nobody stands behind this registry: do not trust its issuers, do not pin its key.</p>`;

/** The script of the page puts the page's own address in place of this one. */
const EXAMPLE_ADDRESS = 'https://registry.example';

const TOOL_COMMANDS = `REGISTRY=${EXAMPLE_ADDRESS}
curl -fsS "$REGISTRY/keys/root.json" -o root.json
npx passport-registry verify "$REGISTRY" --root-key root.json   # compare the root key that it names with the one you were given`;

/** docs/protocol.md, section 11, for the one kind of key that signs this registry. */
function plainCommands({ algorithm, thumbprint }: RootKey): string {
  const verify = algorithm === 'ES256' ? VERIFY_P256 : VERIFY_ED25519;
  return `REGISTRY=${EXAMPLE_ADDRESS}
PINNED=${thumbprint}   # better: the one that you were given
curl -fsS "$REGISTRY/issuers.json" -o issuers.json
curl -fsS "$REGISTRY/issuers.sig" -o issuers.sig
curl -fsS "$REGISTRY/keys/root.json" -o root.json
X=$(sed 's/.*"x":"\\([^"]*\\)".*/\\1/' root.json)
printf '%s==' "$(tr -d '\\t\\n\\f\\r ' < issuers.sig)" | basenc --base64url -d > signature.bin
${verify}`;
}

const VERIFY_ED25519 = String.raw`printf '{"crv":"Ed25519","kty":"OKP","x":"%s"}' "$X" | openssl dgst -sha256 -binary | basenc --base64url | tr -d = > kid
test "$(cat kid)" = "$PINNED" || echo 'ANOTHER ROOT KEY: STOP'
{ printf '\060\052\060\005\006\003\053\145\160\003\041\000'; printf '%s=' "$X" | basenc --base64url -d; } > root.der
openssl pkey -pubin -inform DER -in root.der -out root.pem
openssl pkeyutl -verify -pubin -inkey root.pem -rawin -in issuers.json -sigfile signature.bin`;

const VERIFY_P256 = String.raw`Y=$(sed 's/.*"y":"\([^"]*\)".*/\1/' root.json)
printf '{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}' "$X" "$Y" | openssl dgst -sha256 -binary | basenc --base64url | tr -d = > kid
test "$(cat kid)" = "$PINNED" || echo 'ANOTHER ROOT KEY: STOP'
{ printf '\060\131\060\023\006\007\052\206\110\316\075\002\001\006\010\052\206\110\316\075\003\001\007\003\102\000\004'
  printf '%s=' "$X" | basenc --base64url -d; printf '%s=' "$Y" | basenc --base64url -d; } > root.der
openssl pkey -pubin -inform DER -in root.der -out root.pem
R=$(head -c 32 signature.bin | basenc --base16 -w 0)
S=$(tail -c 32 signature.bin | basenc --base16 -w 0)
printf 'asn1=SEQUENCE:rs\n[rs]\nr=INTEGER:0x%s\ns=INTEGER:0x%s\n' "$R" "$S" > rs.cnf
openssl asn1parse -genconf rs.cnf -noout -out signature.der
openssl dgst -sha256 -verify root.pem -signature signature.der issuers.json`;
