import { GRAMMAR } from '@passport-registry/verifier/core';
import { stringify } from 'yaml';
import { packageFile } from '../../generator/files/package-file.js';
import type { RegistryFile } from '../../generator/generated/settings.js';
import { isLocalOrigin } from '../../generator/log/log-choice.js';

/** The settings that every new registry has. */
export type RequiredSetting = 'name' | 'contact' | 'base_url';

/** The settings of a new registry. */
export type NewSettings = RegistryFile & Record<RequiredSetting, string>;

const EXAMPLE_ORIGIN = 'registry.example/log';

/** The settings in the order of the file, each with the example that a comment shows if there is no value. */
const SETTINGS = [
  ['name', 'Nordic Agents Registry'],
  ['description', 'Issuers of agent passports that the Nordic members have examined.'],
  ['contact', 'operator@registry.example'],
  ['homepage', 'https://www.registry.example'],
  ['logo', 'logo.svg'],
  ['base_url', 'https://registry.example'],
  ['root_key', 'root.json'],
  ['signer', { key: '../root-key.pem' }],
  ['checkpoint', { public_key: 'online.json', signer: { key: 'env:ONLINE_KEY' } }],
  [
    'log',
    {
      origin: EXAMPLE_ORIGIN,
      signer: { key: 'env:LOG_KEY' },
      quorum: 1,
      witnesses: [
        {
          key: 'witness.example+eab4f4b9+BBwGnf7FrrS1qOmj7fAsTBdrEftT1+pTpz0HTztQlgzG',
          service: 'https://witness.example',
        },
      ],
    },
  ],
] as const;

const HEADER = `# The settings of this registry. Paths are relative to this file. All settings are described in
# node_modules/passport-registry/docs/operators/settings.md
`;

/** Writes the text of registry.yaml: each setting with its description, and settings without a value as comments. */
export function registryYaml(settings: RegistryFile): string {
  const { properties, $defs } = JSON.parse(packageFile('schemas/registry.schema.json').toString());
  const blocks = SETTINGS.map(([name, example]) => {
    const { description } = { ...$defs[name], ...properties[name] };
    const value = (settings as Readonly<Record<string, unknown>>)[name];
    const shown = value ?? exampleFor(settings, name, example);
    const text = stringify({ [name]: shown }, { version: '1.2', lineWidth: 0 });
    return `\n# ${description}\n${value === undefined ? text.replaceAll(/^(?=.)/gm, '# ') : text}`;
  });
  return HEADER + blocks.join('');
}

function exampleFor({ base_url = '' }: RegistryFile, name: string, example: unknown): unknown {
  return name === 'log' ? { ...(example as object), origin: logOriginFor(base_url) } : example;
}

/** Returns the name of the log of a registry: a log is named by the host. A trial on one machine has no name that can stay. */
function logOriginFor(baseUrl: string): string {
  const origin = URL.canParse(baseUrl) ? `${new URL(baseUrl).hostname}/log` : '';
  return GRAMMAR.logOrigin.pattern.test(origin) && !isLocalOrigin(origin) ? origin : EXAMPLE_ORIGIN;
}
