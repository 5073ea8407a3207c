import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadCall } from './on-thread.js';

// What a thread runs: the one call that it was made for.
const { module, name, args }: ThreadCall = workerData;
parentPort?.postMessage(await (await import(module))[name](...args));
