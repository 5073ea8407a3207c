import { type Command, Help, type Option } from 'commander';

/** What the help of a command shows besides its description. */
interface CommandHelp {
  /** The command in one line of a list, if its description is too long for that. */
  readonly summary?: string;
  /** The options of its short help, without dashes. Default: all. */
  readonly options?: string;
  /** One command that works as it is, or with other names. */
  readonly example: string;
}

/** The options of a build that most registries need. The other keys, and the log, are in registry.yaml. */
const BUILD = 'issuers out key passphrase-file root-key';

/** The help of each command, by its name below the program. */
const HELP: Readonly<Record<string, CommandHelp>> = {
  init: {
    summary: 'make the folder of a new registry',
    options: 'name contact base-url description homepage key passphrase-file no-passphrase',
    example: 'init registry --key ../root-key.pem',
  },
  preview: { summary: 'show the records on this machine; publishes nothing', example: 'preview' },
  status: {
    options: 'issuers out root-key key base-url mirror offline fail-on json',
    example: 'status',
  },
  new: {
    summary: 'write the record of a new issuer',
    options: 'issuers issuer-url jwks-uri discovery-uri tier domain-scope contact registry',
    example: 'new acme --issuer-url https://id.acme.example',
  },
  check: {
    summary: 'check records; --fix formats them, --online asks the issuers',
    options: 'fix online watch issuers changed production allow-example-names format json',
    example: 'check --fix',
  },
  diff: { summary: 'show what a change does to the issuers', example: 'diff dist' },
  history: { summary: 'show changes of status and tier, from git', example: 'history acme' },
  build: {
    summary: 'check the records, sign the list, write and verify the tree',
    options: `${BUILD} override unsigned renew json`,
    example: 'build --key root-key.pem --root-key root.json',
  },
  sign: {
    options: 'share again key passphrase-file memory instead-of yes json',
    example: 'sign request --key root-key.pem',
  },
  attach: {
    summary: 'publish a list that was signed elsewhere',
    options: 'root-key out holders delegation rotation cosign-later override json',
    example: 'attach request --root-key root.json',
  },
  checkpoint: {
    summary: 'complete what is only in the log, and sign a checkpoint',
    options: 'online-key online-passphrase-file hours mirror json',
    example: 'checkpoint dist --online-key online.pem',
  },
  branch: { example: 'branch load dist' },
  'branch load': { example: 'branch load dist' },
  'branch save': { example: 'branch save dist' },
  serve: { summary: 'serve a tree, or answer gateways: serve gate', example: 'serve dist --port 8080' },
  'serve gate': {
    summary: 'answer gateways, which ask before each request',
    example: 'serve gate --config gate.yaml',
  },
  hold: {
    summary: 'stop issuers at once, with the online key; --end ends that',
    options: 'end false-alarm all out online-key online-passphrase-file json',
    example: 'hold acme --online-key online.pem',
  },
  suspend: {
    summary: 'suspend an issuer, with the root key; --end ends that',
    options: `end reason unsigned ${BUILD} json`,
    example: 'suspend acme --reason "its key has leaked" --key root-key.pem',
  },
  revoke: {
    summary: 'revoke an issuer for good, with the root key',
    options: `reason unsigned ${BUILD} json`,
    example: 'revoke acme --reason "it asked for it" --key root-key.pem',
  },
  keys: { example: 'keys generate --private root-key.pem --public root.json' },
  'keys generate': {
    summary: 'make a private key in a new file, print its public JWK',
    example: 'keys generate --private root-key.pem --public root.json',
  },
  'keys delegate': {
    summary: 'let online keys sign checkpoints; print the delegation',
    options: 'online days hold no-hold unsigned out key passphrase-file root-key',
    example: 'keys delegate --key root-key.pem --online online.json > delegation.jwt',
  },
  'keys rotate': {
    summary: 'replace the root key: all steps, continues where it was stopped',
    options: 'out folder key passphrase-file next-key next-passphrase-file commit online yes',
    example: 'keys rotate --key root-key.pem --next-key next-key.pem',
  },
  'keys step': {
    summary: 'sign only the step to the next root key',
    options: 'next commit unsigned out key passphrase-file root-key',
    example: 'keys step --key root-key.pem --next next.json > step.jwt',
  },
  'keys public': { example: 'keys public root-key.pem > root.json' },
  'keys ceremony': {
    summary: 'make a root key that several holders share',
    example: 'keys ceremony start ceremony --holders Anna Bo Cy --threshold 2',
  },
  'keys ceremony start': { example: 'keys ceremony start ceremony --holders Anna Bo Cy --threshold 2' },
  'keys ceremony join': { example: 'keys ceremony join ceremony --as Anna --share anna.share' },
  'keys ceremony split': { example: 'keys ceremony split ceremony --key root-key.pem' },
  'keys ceremony finish': {
    summary: 'compare the fingerprint, write your share and a receipt',
    example: 'keys ceremony finish ceremony --share anna.share',
  },
  'keys ceremony status': { example: 'keys ceremony status ceremony' },
  'keys witness': {
    summary: 'print the verifier key of a witness, and make its state',
    example: 'keys witness witness-key.pem --name mirror.example --state state',
  },
  'keys log': { example: 'keys log log-key.pem --origin registry.example/log' },
  pin: {
    summary: 'write the trust anchor of a registry, which verifiers pin',
    options: 'thumbprint trust-anchor require-checkpoint require-publication witness quorum force json',
    example: 'pin https://registry.example --thumbprint THUMBPRINT',
  },
  verify: {
    options: 'root-key max-age conformance expect wait proof json',
    example: 'verify https://registry.example --root-key trust-anchor.json',
  },
  resolve: {
    summary: 'ask whether an issuer is trusted, now or in the past',
    options: 'tier domain policy root-key at all format audience json',
    example: 'resolve acme --tier founding,certified --root-key trust-anchor.json',
  },
  mirror: {
    summary: 'keep a verified copy of a registry',
    options: 'root-key max-age witness-key witness-state watch json',
    example: 'mirror https://registry.example copy --root-key trust-anchor.json',
  },
  'mirror status': {
    example: 'mirror status https://registry.example https://mirror.example --root-key trust-anchor.json',
  },
  witness: {
    summary: 'run a witness, which cosigns logs that only grow',
    options: 'root-key log witness-key witness-state host port json',
    example:
      'witness https://registry.example --root-key root.json --witness-key witness-key.pem --witness-state state',
  },
  monitor: {
    summary: 'follow the log of a registry; tell what changed or is wrong',
    options: 'root-key mirror watch state since every feed json',
    example: 'monitor https://registry.example --root-key trust-anchor.json',
  },
  sandbox: { summary: 'run an issuer of passports, for experiments', example: 'sandbox' },
};

/** The name of a command below the program, such as `keys public`. Empty for the program. */
function nameOf(command: Command): string {
  if (command.parent === null) return '';
  return [nameOf(command.parent), command.name()].join(' ').trim();
}

/** Makes all commands show their options and an example as {@link HELP} says. To be called before commands are added. @param all - whether to show all options */
export function configureHelp(program: Command, all: boolean): void {
  const usual = new Help();
  const visibleOptions = (command: Command): Option[] => {
    const options = usual.visibleOptions(command);
    const shown = HELP[nameOf(command)]?.options?.split(' ');
    if (all || shown === undefined) return options;
    return options.filter(
      (option) => option.long === '--help' || shown.includes(option.long?.slice(2) ?? ''),
    );
  };
  // `help build` is there for those who expect it, and shows what `build --help` shows.
  const visibleCommands = (command: Command): Command[] =>
    usual.visibleCommands(command).filter((each) => each.name() !== 'help');
  program.configureHelp({ visibleOptions, visibleCommands, subcommandTerm: (each) => each.name() });
}

/** Adds the summary and the example of each command. To be called after commands are added. */
export function describeCommands(program: Command, command = program): void {
  for (const each of command.commands) describeCommands(program, each);
  const name = nameOf(command);
  if (name === '') {
    const one = `${program.name()} COMMAND --help`;
    program.addHelpText('after', `\nOptions of a command: ${one}\nAll of its options: ${one} --all`);
  }
  const help = HELP[name];
  if (help === undefined) return;
  if (help.summary !== undefined) command.summary(help.summary);
  const called = `${program.name()} ${name}`;
  command.addHelpText('after', () => {
    const helper = command.createHelp();
    const more = new Help().visibleOptions(command).length - helper.visibleOptions(command).length;
    const rest = more > 0 ? `\n${more} more options: ${called} --help --all\n` : '';
    return `${rest}\nExample:\n  ${program.name()} ${help.example}`;
  });
}
