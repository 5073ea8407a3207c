import { mergeConfig } from 'vitest/config';
import base from './vitest.config.js';

/** Kills and torn reads by the minute: the tests that find more the longer they run. */
const soak = mergeConfig(base, { test: { env: { SOAK: '1' }, testTimeout: 1_800_000 } });
soak.test.include = [
  'test/generator/publishing/killed-build.test.ts',
  'test/generator/mirroring/killed-mirror.test.ts',
  'test/generator/mirroring/torn-reads.test.ts',
];
export default soak;
