import type { RootKey } from '@passport-registry/verifier';

/** The script of the page puts the page's own address in place of this one. */
const EXAMPLE_ADDRESS = 'https://registry.example';

/** Verifies a registry by this project's tool. */
export const TOOL_COMMANDS = `REGISTRY=${EXAMPLE_ADDRESS}
curl -fsS "$REGISTRY/keys/root.json" -o root.json
npx passport-registry verify "$REGISTRY" --root-key root.json   # compare the root key that it names with the one you were given`;

/** Verifies it by curl and openssl alone: docs/protocol.md, section 11, for the one kind of key that signs this registry. */
export function plainCommands({ algorithm, thumbprint }: RootKey): string {
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
