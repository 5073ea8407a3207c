// Generates what the programs need of the JSON Schemas in this folder, which are the single source of truth. `--check`
// writes nothing and fails when a generated file is not current.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { ajvValidators } from './ajv-validators.mjs';
import { predicates } from './predicates.mjs';
import { inlined, issuer, openApi, read } from './read.mjs';
import { typesAndConstants } from './types.mjs';

const { NonceRequest, MintRequest, StatusChange } = openApi.components.schemas;

const files = {
  'verifier/src/generated/schemas.ts': await typesAndConstants(),
  'verifier/src/generated/predicates.ts': predicates(),
  'generator/generated/issuer-validator.ts': ajvValidators({ validateIssuer: issuer }, { allErrors: true }),
  'generator/generated/configuration-validator.ts': ajvValidators(
    { validateConfiguration: read('registry.schema.json') },
    // verbose: the errors carry the schema, whose descriptions say what is expected.
    { allErrors: true, verbose: true },
  ),
  'sandbox/generated/request-validators.ts': ajvValidators(
    {
      validateNonceRequest: inlined(NonceRequest),
      validateMintRequest: inlined(MintRequest),
      validateStatusChange: inlined(StatusChange),
    },
    { strict: false },
  ),
};

for (const [path, content] of Object.entries(files)) {
  const text = `// Made by schemas/generate.mjs from the schemas: edit those, then run \`npm run generate\`.\n${content}`;
  const target = new URL(`../${path}`, import.meta.url);
  if (!process.argv.includes('--check')) {
    mkdirSync(new URL('.', target), { recursive: true });
    writeFileSync(target, text);
  } else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    console.error(`${path} is not what the JSON Schemas say: run \`npm run generate\`.`);
    process.exitCode = 1;
  }
}
