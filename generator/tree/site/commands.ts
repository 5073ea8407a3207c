import type { RootKey } from '@passport-registry/verifier';
import { LIMITS } from '@passport-registry/verifier/core';
import { PATHS } from '../paths.js';

/**
 * Returns shell commands that verify a registry with curl and openssl: the script of
 * docs/protocol/vectors.md#with-curl-and-openssl-alone, for the algorithm of this root key. The commands run in a
 * subshell that ends at the first failure. They write only into a folder of their own, because a reader may have a
 * root.pem. They never run a package by name, because all readers would then run the code of any future owner of that
 * name. The script of the page replaces the value of REGISTRY with its own URL.
 */
export function commands({ algorithm, thumbprint }: RootKey): string {
  // No `(…) || echo`: on the left side of ||, the shell ignores `set -e`.
  const verify = algorithm === 'ES256' ? VERIFY_P256 : VERIFY_ED25519;
  return `REGISTRY=https://registry.example
PINNED=${thumbprint}   # compare it with the one that you were given
ISSUER=issuer.example
(
set -eu
cd "$(mktemp -d)"
export LC_ALL=C
${FETCH}
${verify}
${TIME}
${RECORD}
)
test $? = 0 || { echo 'NOT VERIFIED: STOP'; false; }`;
}

const FETCH = String.raw`fetch() {
  STATUS=$(curl -sS --max-filesize "$3" -o "$2" -w '%{http_code}' "$REGISTRY/$1")
  test "$STATUS" = 200
  test "$(wc -c < "$2")" -le "$3"
}
fetch ${PATHS.list} issuers.json ${LIMITS.list}
fetch ${PATHS.signature} issuers.sig ${LIMITS.signature}
fetch ${PATHS.rootKey} root.json ${LIMITS.rootKey}
X=$(sed 's/.*"x":"\([^"]*\)".*/\1/' root.json)
sed -zE 's/^[\t\n\f\r ]+//; s/[\t\n\f\r ]+$//' issuers.sig > trimmed.sig
test "$(wc -c < trimmed.sig)" -eq 86
grep -qzxE '[A-Za-z0-9_-]{85}[AQgw]' trimmed.sig
printf '%s==' "$(cat trimmed.sig)" | basenc --base64url -d > signature.bin`;

const VERIFY_ED25519 = String.raw`printf '{"crv":"Ed25519","kty":"OKP","x":"%s"}' "$X" | openssl dgst -sha256 -binary | basenc --base64url | tr -d = > kid
test "$(cat kid)" = "$PINNED"
{ printf '\060\052\060\005\006\003\053\145\160\003\041\000'; printf '%s=' "$X" | basenc --base64url -d; } > root.der
openssl pkey -pubin -inform DER -in root.der -out root.pem
openssl pkeyutl -verify -pubin -inkey root.pem -rawin -in issuers.json -sigfile signature.bin`;

const VERIFY_P256 = String.raw`Y=$(sed 's/.*"y":"\([^"]*\)".*/\1/' root.json)
printf '{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}' "$X" "$Y" | openssl dgst -sha256 -binary | basenc --base64url | tr -d = > kid
test "$(cat kid)" = "$PINNED"
{ printf '\060\131\060\023\006\007\052\206\110\316\075\002\001\006\010\052\206\110\316\075\003\001\007\003\102\000\004'
  printf '%s=' "$X" | basenc --base64url -d; printf '%s=' "$Y" | basenc --base64url -d; } > root.der
openssl pkey -pubin -inform DER -in root.der -out root.pem
R=$(head -c 32 signature.bin | basenc --base16 -w 0)
S=$(tail -c 32 signature.bin | basenc --base16 -w 0)
printf 'asn1=SEQUENCE:rs\n[rs]\nr=INTEGER:0x%s\ns=INTEGER:0x%s\n' "$R" "$S" > rs.cnf
openssl asn1parse -genconf rs.cnf -noout -out signature.der
openssl dgst -sha256 -verify root.pem -signature signature.der issuers.json`;

/** The last member of the canonical list. Without its time, readers could take an old list for the newest. */
const TIME = `tail -c 36 issuers.json | grep -x '"updated_at":"[0-9TZ:-]*"}'`;

/** No string of a record can contain an id like this: its quotes would be escaped. */
const RECORD = String.raw`grep -o '{[^{}]*}' issuers.json | grep -F "\"issuer_id\":\"$ISSUER\"" || echo 'not in the list'`;
