// Runs before each test file. Files share the processes of their workers, so each leaves its process as it was.
import { afterAll, afterEach, vi } from 'vitest';
import './compare-bytes.js';
import './machine.js';
import './short-waits.js';
import { runEndings } from './endings.js';
import { ROOT } from './paths.js';

afterEach(() => runEndings('test'));

const { now } = Date;
const umask = process.umask();

afterAll(async () => {
  process.chdir(ROOT);
  process.umask(umask);
  Date.now = now;
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  await runEndings('file');
});
