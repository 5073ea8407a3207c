import type { CommandEntries } from './add-commands.js';

/** The options of a build that most registries need. The other keys, and the log, are in registry.yaml. */
const BUILD = 'issuers out key passphrase-file root-key';

/** The commands of the program, below the headings of the help. */
export const COMMANDS: Readonly<Record<string, CommandEntries>> = {
  'Start:': {
    // `init` makes the file of another registry.
    init: {
      summary: 'make the folder of a new registry',
      options: 'name contact base-url description homepage key passphrase-file no-passphrase',
      example: 'init registry --key ../root-key.pem',
      isWithoutSettings: true,
      load: async () => (await import('./init.js')).declareInit,
    },
    preview: {
      summary: 'show the records on this machine; publishes nothing',
      example: 'preview',
      load: async () => (await import('./preview.js')).declarePreview,
    },
    status: {
      summary: 'show how a registry is doing',
      options: 'issuers out root-key key base-url mirror offline fail-on json',
      example: 'status',
      load: async () => (await import('./status.js')).declareStatus,
    },
    load: {
      summary: 'bring the tree to what the registry serves',
      options: 'out root-key json',
      example: 'load https://registry.example --root-key root.json',
      load: async () => (await import('./load.js')).declareLoad,
    },
  },
  'Records:': {
    new: {
      summary: 'write the record of a new issuer',
      options: 'issuers issuer-url jwks-uri discovery-uri tier domain-scope contact registry',
      example: 'new acme --issuer-url https://id.acme.example',
      load: async () => (await import('./new.js')).declareNew,
    },
    check: {
      summary: 'check records; --fix formats them, --online asks the issuers',
      options: 'fix online watch issuers changed production allow-example-names format json',
      example: 'check --fix',
      load: async () => (await import('./check.js')).declareCheck,
    },
    diff: {
      summary: 'show what a change does to the issuers',
      example: 'diff dist',
      load: async () => (await import('./diff.js')).declareDiff,
    },
  },
  'Publish:': {
    build: {
      summary: 'check the records, sign the list, write and verify the tree',
      options: `${BUILD} override unsigned offline json`,
      example: 'build --key root-key.pem --root-key root.json',
      load: async () => (await import('./build.js')).declareBuild,
    },
    sign: {
      summary: 'show what a signing request changes, then sign it',
      options: 'share again key passphrase-file memory instead-of yes json',
      example: 'sign request --key root-key.pem',
      load: async () => (await import('./sign.js')).declareSign,
    },
    attach: {
      summary: 'publish a list that was signed elsewhere',
      options: 'root-key out holders next-holders override offline json',
      example: 'attach request --root-key root.json',
      load: async () => (await import('./attach.js')).declareAttach,
    },
    checkpoint: {
      summary: 'complete what is only in the log, and sign a checkpoint',
      options: 'online-key online-passphrase-file hours offline json',
      example: 'checkpoint dist --online-key online.pem',
      load: async () => (await import('./checkpoint.js')).declareCheckpoint,
    },
    serve: {
      summary: 'serve a tree, or answer gateways: serve gate',
      example: 'serve dist --port 8080',
      isWithoutSettings: true,
      load: async () => (await import('./serve.js')).declareServe,
    },
  },
  'Issuers:': {
    hold: {
      summary: 'stop issuers at once, with the online key; --end ends that',
      options: 'end false-alarm all out online-key online-passphrase-file offline json',
      example: 'hold acme --online-key online.pem',
      load: async () => (await import('./checkpoint.js')).declareHold,
    },
    suspend: {
      summary: 'suspend an issuer, with the root key; --end ends that',
      options: `end reason unsigned ${BUILD} offline`,
      example: 'suspend acme --reason "its key has leaked" --key root-key.pem',
      load: async () => (await import('./emergency.js')).declareSuspend,
    },
    revoke: {
      summary: 'revoke an issuer for good, with the root key',
      options: `reason unsigned ${BUILD} offline json`,
      example: 'revoke acme --reason "it asked for it" --key root-key.pem',
      load: async () => (await import('./emergency.js')).declareRevoke,
    },
  },
  'Keys:': {
    keys: {
      summary: 'make, print, share and rotate keys',
      example: 'keys generate --private root-key.pem --public root.json',
      load: async () => (await import('./keys.js')).declareKeys,
    },
  },
  'Trust:': {
    // `pin` reads another registry: its quorum is that of a verifier, not of the publisher.
    pin: {
      summary: 'write the trust anchor of a registry, which verifiers pin',
      options: 'thumbprint trust-anchor witness quorum force json',
      example: 'pin https://registry.example --thumbprint THUMBPRINT',
      isWithoutSettings: true,
      load: async () => (await import('./pin.js')).declarePin,
    },
    verify: {
      summary: 'verify a tree or a live registry',
      options: 'root-key conformance expect wait json',
      example: 'verify https://registry.example --root-key trust-anchor.json',
      load: async () => (await import('./verify.js')).declareVerify,
    },
    resolve: {
      summary: 'ask whether an issuer is trusted, now or in the past',
      options: 'tier domain policy root-key at json',
      example: 'resolve acme --tier founding,certified --root-key trust-anchor.json',
      load: async () => (await import('./resolve.js')).declareResolve,
    },
  },
  'For others:': {
    mirror: {
      summary: 'keep a verified copy of a registry',
      example: 'mirror https://registry.example copy --root-key trust-anchor.json',
      load: async () => (await import('./mirror.js')).declareMirror,
    },
    witness: {
      summary: 'run a witness, which cosigns logs that only grow',
      options: 'root-key log witness-key witness-state host port json',
      example:
        'witness https://registry.example --root-key root.json --witness-key witness-key.pem --witness-state state',
      isWithoutSettings: true,
      load: async () => (await import('./witness.js')).declareWitness,
    },
    monitor: {
      summary: 'follow the log of a registry; tell what changed or is wrong',
      options: 'root-key mirror watch state since every json',
      example: 'monitor https://registry.example --root-key trust-anchor.json',
      load: async () => (await import('./monitor.js')).declareMonitor,
    },
    sandbox: {
      summary: 'run an issuer of passports, for experiments',
      example: 'sandbox',
      isWithoutSettings: true,
      load: async () => (await import('./sandbox.js')).declareSandbox,
    },
  },
};
