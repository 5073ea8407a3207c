import type { CommandEntries } from './add-commands.js';

/** The commands of the program, below the headings of the help. */
export const COMMANDS: Readonly<Record<string, CommandEntries>> = {
  'Start:': {
    // `init` makes the file of another registry.
    init: {
      summary: 'make the folder of a new registry',
      examples: ['init registry --key ../root-key.pem', 'init registry --base-url https://registry.example'],
      isWithoutSettings: true,
      load: async () => (await import('./init.js')).declareInit,
    },
    preview: {
      summary: 'show the records on this machine; publishes nothing',
      examples: ['preview', 'preview --port 8081'],
      load: async () => (await import('./preview.js')).declarePreview,
    },
    status: {
      summary: 'show how a registry is doing',
      examples: ['status', 'status --fail-on warning'],
      load: async () => (await import('./status.js')).declareStatus,
    },
    load: {
      summary: 'bring the tree to what the registry serves',
      examples: ['load https://registry.example --trust-anchor root.json', 'load'],
      load: async () => (await import('./load.js')).declareLoad,
    },
  },
  'Records:': {
    new: {
      summary: 'write the record of a new issuer',
      examples: ['new acme --issuer-url https://id.acme.example', 'new acme --tier certified'],
      load: async () => (await import('./new.js')).declareNew,
    },
    check: {
      summary: 'check records; --fix formats them, --online asks the issuers',
      examples: ['check --fix', 'check --online acme'],
      load: async () => (await import('./check.js')).declareCheck,
    },
    diff: {
      summary: 'show what a change does to the issuers',
      examples: ['diff dist', 'diff main...HEAD --markdown'],
      load: async () => (await import('./diff.js')).declareDiff,
    },
  },
  'Publish:': {
    build: {
      summary: 'check the records, sign the list, verify and write the tree',
      examples: [
        'build --key root-key.pem --root-key root.json',
        'build --unsigned request --root-key root.json',
      ],
      load: async () => (await import('./build.js')).declareBuild,
    },
    sign: {
      summary: 'show what a signing request changes, then sign it',
      examples: ['sign request --key root-key.pem', 'sign request --share anna.share'],
      load: async () => (await import('./sign.js')).declareSign,
    },
    attach: {
      summary: 'publish a list that was signed elsewhere',
      examples: ['attach request --root-key root.json', 'attach request --holders holders.json'],
      load: async () => (await import('./attach.js')).declareAttach,
    },
    checkpoint: {
      summary: 'complete a publication that waits, or sign a new checkpoint',
      examples: ['checkpoint dist --online-key online.pem', 'checkpoint'],
      load: async () => (await import('./checkpoint.js')).declareCheckpoint,
    },
    serve: {
      summary: 'serve a tree on this machine',
      examples: ['serve dist', 'serve dist --port 8080'],
      isWithoutSettings: true,
      load: async () => (await import('./serve.js')).declareServe,
    },
    gate: {
      summary: 'answer gateways, which ask before each request',
      examples: ['gate gate.yaml', 'gate /etc/passport-gate/gate.yaml'],
      isWithoutSettings: true,
      load: async () => (await import('./gate.js')).declareGate,
    },
  },
  'Issuers:': {
    hold: {
      summary: 'stop issuers at once, with the online key; --end lifts it',
      examples: ['hold acme --online-key online.pem', 'hold --end acme'],
      load: async () => (await import('./checkpoint.js')).declareHold,
    },
    suspend: {
      summary: 'suspend an issuer, with the root key; --end lifts it',
      examples: [
        'suspend acme --reason "its key has leaked" --key root-key.pem',
        'suspend acme --end --reason "it has a new key"',
      ],
      load: async () => (await import('./emergency.js')).declareSuspend,
    },
    revoke: {
      summary: 'revoke an issuer for good, with the root key',
      examples: [
        'revoke acme --reason "it asked for it" --key root-key.pem',
        'revoke acme --reason "it asked for it" --unsigned request',
      ],
      load: async () => (await import('./emergency.js')).declareRevoke,
    },
  },
  'Keys:': {
    keys: {
      summary: 'make, print, share and rotate keys',
      examples: ['keys generate --private root-key.pem --public root.json', 'keys public root-key.pem'],
      load: async () => (await import('./keys.js')).declareKeys,
    },
  },
  'Trust:': {
    // `pin` reads another registry: its quorum is that of a verifier, not of the publisher.
    pin: {
      summary: 'write the trust anchor of a registry, which verifiers pin',
      examples: [
        'pin https://registry.example --thumbprint THUMBPRINT',
        'pin https://registry.example --trust-on-first-use',
      ],
      isWithoutSettings: true,
      load: async () => (await import('./pin.js')).declarePin,
    },
    verify: {
      summary: 'verify a tree or a live registry',
      examples: [
        'verify https://registry.example --trust-anchor trust-anchor.json',
        'verify dist --trust-anchor root.json',
      ],
      load: async () => (await import('./verify.js')).declareVerify,
    },
    resolve: {
      summary: 'ask whether an issuer is trusted, now or in the past',
      examples: [
        'resolve acme --tiers founding,certified --trust-anchor trust-anchor.json',
        'resolve acme --policy policy.json --trust-anchor trust-anchor.json',
      ],
      load: async () => (await import('./resolve.js')).declareResolve,
    },
  },
  'For others:': {
    mirror: {
      summary: 'keep a verified copy of a registry',
      examples: [
        'mirror https://registry.example copy --trust-anchor trust-anchor.json',
        'mirror https://registry.example copy --trust-anchor root.json --every 600',
      ],
      load: async () => (await import('./mirror.js')).declareMirror,
    },
    witness: {
      summary: 'run a witness, which cosigns logs that only grow',
      examples: [
        'witness https://registry.example --trust-anchor root.json --witness-key witness-key.pem --witness-state state',
        'witness --log VKEY --witness-key witness-key.pem --witness-state state',
      ],
      isWithoutSettings: true,
      load: async () => (await import('./witness.js')).declareWitness,
    },
    monitor: {
      summary: 'follow the log of a registry; report changes and alarms',
      examples: [
        'monitor https://registry.example --trust-anchor trust-anchor.json',
        'monitor https://registry.example acme --state state --every 3600',
      ],
      load: async () => (await import('./monitor.js')).declareMonitor,
    },
    sandbox: {
      summary: 'run an issuer of passports, for experiments',
      examples: ['sandbox', 'sandbox --port 8787'],
      isWithoutSettings: true,
      load: async () => (await import('./sandbox.js')).declareSandbox,
    },
  },
};
