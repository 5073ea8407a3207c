/** A test that verifies a claim: its file below `test/`, and a part of its name. `%s` stands for any text. */
type Verifying = readonly [file: string, name: string];

/**
 * The lists of claims, by file and heading. For each claim, the tests that verify it: all of its sentences. A claim has its
 * first words and, after `#`, the beginning of the hash of its whole text, so that nobody changes a sentence without looking
 * at its tests. `test/docs/claims.test.ts` prints the new hash.
 */
export const CLAIMS: Readonly<Record<string, Readonly<Record<string, readonly Verifying[]>>>> = {
  'SECURITY.md: What is protected': {
    'A client accepts only lists that the root key signed #9a1eebcf': [
      ['conformance/roles/list', 'list/signer, with every code'],
      ['conformance/roles/list', 'list/signature, with every code'],
      ['conformance/roles/client', 'client/signer, with every code'],
    ],
    'A client never goes back #9b209630': [
      ['conformance/roles/client', 'client/memory, with every code'],
      ['conformance/roles/lookup', 'lookup/memory, with every code'],
    ],
    'An online key can stop issuers only if the publication #a9595a97': [
      ['conformance/roles/client', 'client/hold, with every code'],
      ['verifier/client/hold', 'rejects a held issuer, whatever list and policy say'],
      ['generator/publishing/damaged-tree', 'a tree with a checkpoint from which the hold was cut'],
      ['generator/freshness/hold', 'stays with every new checkpoint'],
    ],
    'A look-up of one issuer accepts a record only #bcc4f8b1': [
      ['verifier/sums/bit-flips', 'bit flips over all files of a proof: none is accepted'],
      ['conformance/roles/lookup', 'lookup/sums, with every code'],
      ['conformance/roles/lookup', 'lookup/record, with every code'],
    ],
    'Builds, signers, `verify` and mirrors compute the tree of sums #4406cf27': [
      ['conformance/roles/auditor', 'auditor/sums, with every code'],
      ['generator/verification/sums', 'are refused by a mirror, which keeps what it serves'],
      ['generator/verification/sums', 'are published by no build'],
      ['custody/offline-signing/statement', 'a request for a publication statement'],
    ],
    'With a quorum of witnesses in its trust anchor #bd81d7eb': [
      ['conformance/roles/log', 'log/quorum, with every code'],
      ['conformance/roles/client', 'client/memory, with every code'],
      ['conformance/roles/lookup', 'lookup/memory, with every code'],
    ],
    'If the trust anchor or a rotation step names the keys #ef67af0c': [
      ['conformance/roles/client', 'client/chain, with every code'],
      ['conformance/roles/client', 'client/memory, with every code'],
      ['cli/rotating/next-roots', '%s refuses the registry of a thief'],
    ],
    'A build extends the published log #93834b8e': [
      ['generator/publishing/killed', 'and never forks the log'],
      ['generator/publishing/log', 'a log that was put back, and a log of another history'],
      ['observers/witnessing/two-histories', 'however often it is killed'],
    ],
    'A verifier enforces every member of a trust anchor #71708d7d': [
      ['conformance/roles/list', 'list/anchor, with every code'],
      ['conformance/roles/log', 'log/anchor, with every code'],
      ['cli/pin', 'refuses a registry that hides the proof of its log, also without witnesses'],
    ],
    '`pin` trusts only the root key #ac2a0ef2': [
      ['cli/pin', 'pin refuses, and writes nothing'],
      ['cli/pin', 'refuses a step that another key signed'],
    ],
    'A client verifies the hash of a list #7131dd55': [
      ['conformance/roles/client', 'client/places, with every code'],
      ['conformance/roles/client', 'client/statements, with every code'],
      ['verifier/client/limits', 'a client with a heap of 256 MB'],
    ],
    'Every response has a size limit #b68727cb': [
      ['verifier/client/hostile-hosts', 'may compress; what it sends is bounded as it comes out'],
      ['verifier/client/sources', 'is for all requests of a source, retries included'],
      ['generator/verification/log', 'the entries of a log are read only once its head has been verified'],
      ['generator/verification/log', 'a host is not asked for more entries than can be kept'],
    ],
    'Invalid public keys are refused #1d3d1bd3': [
      ['conformance/roles/list', 'list/key, with every code'],
      ['conformance/roles/list', 'list/anchor, with every code'],
      ['conformance/roles/client', 'client/chain, with every code'],
      ['conformance/roles/client', 'client/publication, with every code'],
      ['conformance/roles/passport', 'passport/claim, with every code'],
      ['conformance/roles/passport', 'passport/keys, with every code'],
      ['conformance/roles/passport', 'passport/signed-mandate, with every code'],
      ['generator/signing/keys', 'refuses what is no point that can be a key'],
    ],
    'A passport is accepted only if #30357825': [
      ['passports/issuer/issuer-answers', 'is remembered for exactly these bytes of a token'],
      ['passports/issuer/issuer-answers', 'is verified again under the keys that are requested next'],
      ['conformance/roles/passport', 'passport/memory, with every code'],
      ['passports/verification/attacks', 'an action is refused %s: step %s'],
      ['passports/verification/attacks', 'is not taken for verified by anything but its signature'],
      ['passports/verification/issuer-lookup', 'rejects without a proof: a registry that cannot be reached'],
      ['conformance/roles/passport', 'passport/token, with every code'],
      ['conformance/roles/passport', 'passport/issuer, with every code'],
      ['conformance/roles/passport', 'passport/metadata, with every code'],
      ['conformance/roles/passport', 'passport/keys, with every code'],
      ['conformance/roles/passport', 'passport/status, with every code'],
    ],
    'Hosts named by tokens, redirects #97c7e5aa': [
      ['passports/verification/attacks', 'names nobody to ask: of an unknown issuer nothing is fetched'],
      ['passports/verification/attacks', 'a host that is named > by %s is not contacted'],
    ],
    'A door for gateways admits a request only under the profile #6453229d': [
      ['passports/gate/gate', 'is never chosen by the client of Envoy'],
      ['passports/gate/gate', 'stays refused if it was refused as a replay'],
      ['cli/gate/attacks', 'refuses %s'],
      ['cli/gate/attacks', 'tells the application nothing that the client has said of itself'],
    ],
    'An action is allowed only with a fresh proof #e096d96e': [
      ['passports/verification/attacks', 'an action is refused %s: step %s'],
      ['conformance/roles/passport', 'passport/mandate, with every code'],
      ['conformance/roles/passport', 'passport/signed-mandate, with every code'],
      ['conformance/roles/passport', 'passport/proof, with every code'],
      ['passports/verification/attacks', 'is accepted once of a hundred at the same time'],
      [
        'passports/middleware/parsed-body',
        'but the platform has parsed is the payload, whatever the headers say',
      ],
    ],
    'A list is signed and published only if its change #cf5bcb2e': [
      ['generator/review/publication-rules', 'refuses %s, and names the rule'],
      ['custody/offline-signing/payloads', 'after an emergency, a new one takes over the step'],
      ['custody/offline-signing/offline', 'a request from before an emergency is refused'],
    ],
    'A suspension ends only by a record #da4d2c64': [
      ['generator/review/reinstated', 'lift nothing'],
      ['generator/review/reinstated', 'ends one suspension, and none after it'],
      ['generator/review/reinstated', 'is no time of the future'],
      ['generator/publishing/damaged-tree', 'a tree with an earlier time of a suspension'],
      [
        'custody/offline-signing/about-file',
        'ends no suspension on a machine that does not learn since when',
      ],
    ],
    'Each publication by a root key has a higher number #f5f35a3d': [
      ['generator/publishing/journal', 'leaves the old tree or a committed one'],
      ['custody/offline-signing/read-request', 'a publication statement is refused'],
      ['custody/offline-signing/statement', 'although the root key has signed it'],
      ['custody/offline-signing/statement', 'no other takes its sequence'],
    ],
    '`sign` signs only what it has shown #b98cbc91': [
      ['custody/offline-signing/read-request', 'a checkpoint is refused'],
      ['custody/offline-signing/read-request', 'a rotation step is refused'],
      ['custody/offline-signing/payloads', 'signs nothing, and remembers nothing'],
      ['custody/offline-signing/payloads', 'no checkpoint makes an older one fresh'],
      ['custody/offline-signing/payloads', 'another one needs to be named'],
    ],
    'A shared root key is never on one machine #c4d88625': [
      ['custody/shared-key/frost', 'does not sign with one holder too few'],
      [
        'custody/ceremony/ceremony',
        'shows other words to each side if whoever passes the folder around swaps keys',
      ],
      ['custody/ceremony/ceremony', 'names the holder who sends a wrong part of the key'],
      ['custody/ceremony/ceremony', 'notices a replaced message'],
      ['custody/holder-signing/wrong-messages', 'names the holder of a wrong signature share'],
    ],
    'No share and no nonce leaves the machine #7c3b6e0a': [
      ['custody/ceremony/ceremony', 'leaves no secret in any file'],
      [
        'custody/holder-signing/holder-signing',
        'stay on their machine, encrypted, and are deleted when they are used',
      ],
      ['custody/holder-signing/holder-signing', 'are used by one of two processes that sign at once'],
      [
        'custody/holder-signing/holder-signing',
        'also if the request is shown with another list of commitments',
      ],
      ['custody/holder-signing/holder-signing', 'do not survive a restart of the machine'],
      ['custody/holder-signing/killed', 'never uses a nonce twice'],
      ['custody/ceremony/ceremony', 'notices before the key is split that somebody else has joined'],
    ],
    'An invalid record, an invalid key, a killed command or a full disk #4b7eef63': [
      ['generator/publishing/damaged-tree', 'is refused by whatever signs, which leaves it as it is'],
      ['generator/records/bad-input', 'a bad file'],
      ['generator/publishing/journal', 'leaves the old tree or a committed one'],
      ['generator/publishing/journal', 'stays if the next one cannot be written: the disk is full'],
      ['observers/mirroring/mirror', 'says so on a full disk, and serves the old tree'],
    ],
    'A private key is never printed #a34b9fad': [
      ['generator/signing/secrets', 'is in no output and no error of any command'],
    ],
    '`init` makes a root key only when told so #75b3383f': [
      ['cli/scaffold/init', 'makes exactly these files'],
      ['cli/scaffold/init', 'refuses %s, which is in the folder'],
      ['cli/scaffold/init', 'nothing is replaced, or written behind a link'],
    ],
    'The root key of a tree changes only by a rotation #32e2195d': [
      ['generator/build', 'of a registry changes only by a rotation'],
      ['cli/rotating/rotate', 'two rotations at once'],
      ['cli/rotating/rotate', 'a rotation that does not fit'],
    ],
    'With a `base_url`, a production key signs a publication only #5838d768': [
      ['generator/publishing/follow-url', 'lets a checkpoint alone be signed where the URL shows %s'],
      ['generator/publishing/follow-url', 'lets nothing be signed where the URL shows the %s'],
      ['generator/publishing/follow-url', 'lets a first list be signed only with --first'],
      ['generator/publishing/follow-url', 'lets no first list be signed'],
      [
        'generator/publishing/follow-url',
        'is refused, and leaves all as it is, where the URL shows the third',
      ],
      ['generator/publishing/follow-url', 'keeps a hold at the URL that the tree has never seen'],
    ],
    '`load` verifies the whole tree #4973e853': [
      ['observers/mirroring/load-tree', 'the tree of a thief, and one with a file that nobody has signed'],
      ['observers/mirroring/load-tree', 'what is older than this machine has read at the URL'],
      ['observers/mirroring/load-tree', 'names whom the replaced tree stops and the loaded one does not'],
      ['observers/mirroring/load-tree', 'brings a stale tree to what the URL serves, and moves it aside'],
      ['cli/scaffold/published-script', 'is refused by the push'],
      [
        'cli/scaffold/published-script',
        'a tree that was not loaded is not replaced by what this machine has',
      ],
    ],
    'A file in a pull request cannot run code #e6347d35': [
      ['generator/review/git', 'shift no answer of git, and are neither options, commands nor revisions'],
      ['generator/review/git', 'and of the environment change nothing that is read'],
      ['generator/records/reading', 'a record file'],
      ['cli/terminal/printers', 'obeys nobody’s terminal'],
      ['cli/terminal/printers', 'is one command a diagnostic for a workflow runner'],
      ['cli/scaffold/workflows', 'cannot use a secret or a token with write permission'],
    ],
    '`check --online` contacts only public IP addresses #550b5849': [
      ['cli/online/check', 'refuses addresses of this machine and of private networks, and does not connect'],
      ['verifier/http/public-address', 'is not public, in any spelling'],
      ['conformance/roles/passport', 'passport/host, with every code'],
    ],
    'Text in a record cannot become markup #aab631cf': [
      ['website/hostile', 'become no markup in the page, not even were they verified'],
      ['website/access', 'under which a script that gets in cannot run'],
    ],
    '`mirror` switches only #1881d46e': [
      ['observers/mirroring/descent', 'trusts nothing before it has verified the statement'],
      ['observers/mirroring/hostile-log', 'a mirror refuses a source over HTTP with'],
      [
        'observers/mirroring/new-release',
        'a file of the release being served, once it is linked into a new release, is written by no',
      ],
      ['observers/mirroring/descent', 'and refuses SHA256SUMS that the checkpoint does not name'],
      ['generator/verification/unknown', 'is never one that a host could read, or take for a known file: %s'],
    ],
  },
  'README.md: Guarantees': {
    'The same records, time and Ed25519 key #e45fe30d': [
      ['generator/build', 'the same input, time and Ed25519 key give the same bytes, in any order of files'],
      ['generator/build', 'writes only what changed'],
    ],
    'A build reads every record and verifies #7b001b86': [
      ['generator/publishing/journal', 'leaves the old tree or a committed one'],
      ['generator/publishing/read-back', 'is what the disk gives back'],
    ],
    'Invalid input produces an error #92b1af35': [
      ['generator/diagnostics/annotations', 'are exactly these for each rule'],
    ],
    'Production signing never falls back #4a834791': [
      ['generator/build', 'is refused under --production, made or not, named or not'],
      ['generator/build', 'is refused under CI=true, made or not, named or not'],
      ['generator/build', 'with CI="yes", whether it is refused: true'],
      ['generator/build', 'with CI="false", whether it is refused: false'],
      ['generator/build', 'signs nothing under CI by %s'],
      [
        'generator/review/publication-rules',
        "this repository's example issuers are signed by a development key",
      ],
    ],
  },
};

/** A test of a run. */
export interface RanTest {
  /** The file below `test/`, without `.test.ts`. */
  readonly file: string;
  /** Its name, after the names of its suites. */
  readonly name: string;
  /** A test that lacks a program is skipped, and counts as a failure only with `REQUIRE_COMPONENTS=1`. */
  readonly state: 'passed' | 'failed' | 'skipped' | 'lacks a program';
}

/**
 * Returns the claims that no test verifies. A run of some files, or of some tests of a file, says nothing about the others.
 *
 * @param files - all test files that exist, written as in {@link RanTest}. Undefined if the run is to leave out tests
 */
export function unheldClaims(tests: readonly RanTest[], files: readonly string[] | undefined): string[] {
  const ran = new Set(tests.map(({ file }) => file));
  const isWhole = files?.every((file) => ran.has(file)) === true;
  const holds = ({ state }: RanTest) =>
    state === 'passed' || state === 'lacks a program' || (state === 'skipped' && files === undefined);
  return Object.entries(CLAIMS).flatMap(([place, claims]) =>
    Object.entries(claims).flatMap(([claim, verifying]) =>
      verifying
        .filter(
          ([file, name]) =>
            (isWhole || ran.has(file)) && !tests.some((test) => holds(test) && isNamed(test, file, name)),
        )
        .map(([file, name]) => `${place}: "${claim}": no test of ${file} passed that is named "${name}"`),
    ),
  );
}

function isNamed(test: RanTest, file: string, name: string): boolean {
  const pattern = name.split('%s').map((part) => part.replaceAll(/[^\w\s]/g, '\\$&'));
  return test.file === file && new RegExp(pattern.join('.*')).test(test.name);
}
