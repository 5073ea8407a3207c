import { emailRemedy, uriRemedy } from '../../generator/diagnostics/addresses.js';
import { type Diagnostic, diagnostic, type Finding, shown } from '../../generator/diagnostics/diagnostic.js';
import { didYouMean } from '../../generator/diagnostics/messages.js';
import { ConfigurationRejected } from '../../generator/errors.js';
import type { SchemaError, Validator } from '../../generator/generated/configuration-validator.js';
import { pathOf } from '../../generator/records/yaml/locate.js';
import { type ParsedFile, parseRecordFile } from '../../generator/records/yaml/parse.js';

/**
 * Parses a file of settings, and checks it. An empty file has no settings.
 *
 * @throws {@link ConfigurationRejected}
 */
export function parseSettings<Content>(
  { file, text }: { readonly file: string; readonly text: string },
  validate: Validator,
): Content {
  const parsed = parseRecordFile({ file, stem: '', text });
  const value = parsed.value ?? {};
  const conforms = validate(value);
  const found = violations(validate.errors ?? []).map((error) => locateError(parsed, error));
  const empty = parsed.diagnostics.every(({ rule }) => rule === 'empty-file');
  const diagnostics = [...(empty ? [] : parsed.diagnostics), ...found].map(withoutExcerpt);
  if (diagnostics.length > 0 || !conforms) throw new ConfigurationRejected(file, diagnostics);
  return value as Content;
}

/** Removes the violations of a format where the pattern of the same value is violated, too. */
function violations(errors: readonly SchemaError[]): readonly SchemaError[] {
  const patterns = errors.filter(({ keyword }) => keyword === 'pattern').map((error) => error.instancePath);
  return errors.filter(
    ({ keyword, instancePath }) => keyword !== 'format' || !patterns.includes(instancePath),
  );
}

/**
 * Removes the excerpt: a line of a configuration can contain a key or a PIN, and a file given by mistake can contain
 * anything.
 */
function withoutExcerpt({ excerpt: _line, ...found }: Diagnostic): Diagnostic {
  return found;
}

function locateError(parsed: ParsedFile, error: SchemaError): Diagnostic {
  const path = pathOf(error.instancePath);
  const unknown: unknown = error.params['additionalProperty'];
  const range =
    unknown === undefined ? parsed.locate(path) : parsed.locate([...path, String(unknown)], 'key');
  return diagnostic(
    parsed,
    range,
    finding({ name: path.join('.') || WHOLE, source: parsed.sourceAt(path) }, error),
  );
}

const WHOLE = 'the file';

/** @param source - the text of a value that is not a string */
function finding(
  { name, source }: { readonly name: string; readonly source: string | undefined },
  { keyword, params, data, parentSchema, message }: SchemaError,
): Finding {
  if (keyword === 'additionalProperties') {
    const field = String(params['additionalProperty']);
    const known = Object.keys(parentSchema?.['properties'] ?? {});
    return {
      rule: 'unknown-field',
      message: `${shown(field)} is not a setting of ${name}`,
      expected: known.length > 0 ? `one of ${known.join(', ')}` : String(parentSchema?.['description']),
      remedy: didYouMean(field, known) ?? 'remove it',
    };
  }
  const expected = String(parentSchema?.['description'] ?? message);
  if (keyword === 'required') {
    const field = String(params['missingProperty']);
    return { rule: 'missing-field', message: `${name} has no ${field}`, expected, remedy: `add ${field}` };
  }
  if (keyword === 'enum') {
    const allowed = (params['allowedValues'] as string[]).join(', ');
    return {
      rule: 'unknown-value',
      message: `${name} is ${shown(data)}`,
      expected: `one of ${allowed}`,
      remedy: didYouMean(String(data), params['allowedValues'] as string[]) ?? 'choose one of them',
    };
  }
  // A long string in the wrong place may be a key, and a URL with @ has a password. A file that is only a string was given by mistake.
  const isSecret = typeof data === 'string' && (data.length > 40 || data.includes('@') || name === WHOLE);
  const found = isSecret ? 'a string that is not shown' : shown(data);
  if (keyword === 'type' && params['type'] === 'string' && source) {
    const { pattern, format } = parentSchema ?? {};
    // In quotes, the text may still be wrong for the setting.
    const fits =
      format === undefined && (pattern === undefined || new RegExp(String(pattern), 'u').test(source));
    const quoted = `if ${source} is meant as a string, put it in quotes: ${JSON.stringify(source)}`;
    const remedy = fits ? quoted : grammarRemedy(format, source);
    return { rule: 'wrong-type', message: `${name} is ${found}`, expected, remedy };
  }
  // People can't read these grammars. The description says what they demand.
  const isGrammar = keyword === 'pattern' || keyword === 'format';
  return {
    rule: 'wrong-type',
    message: `${name} is ${found}`,
    expected,
    remedy: isGrammar ? grammarRemedy(parentSchema?.['format'], data) : `the value ${message}`,
  };
}

/** Says what to do about a string that is not in the form of its setting. A URL with a user name may have a password, too. */
function grammarRemedy(format: unknown, data: unknown): string {
  const text = String(data);
  const isUrl = /:\/\//.test(text);
  const general = 'write the value in the expected form';
  if (format === 'email' && !isUrl) return emailRemedy(text) ?? general;
  if (format === 'uri') return uriRemedy(text) ?? general;
  return general;
}
