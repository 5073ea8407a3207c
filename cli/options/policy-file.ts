import { assertTrustPolicy, type TrustPolicy } from '@passport-registry/verifier';
import { UsageError } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';

/** Reads a trust policy. @throws {@link UsageError} | {@link IoFailed} */
export function readPolicy(file: string): TrustPolicy {
  const text = readText(file);
  try {
    const policy: unknown = JSON.parse(text);
    assertTrustPolicy(policy);
    return policy;
  } catch (cause) {
    throw new UsageError(`${file} is not a trust policy: ${(cause as Error).message}`, { cause });
  }
}
