import { Worker } from 'node:worker_threads';

/** A function of a module, and what it is called with. */
export interface ThreadCall {
  /** The module's address. */
  readonly module: string;
  /** The name under which the module exports the function. */
  readonly name: string;
  /** What can be copied to another thread. */
  readonly args: readonly unknown[];
}

/** Calls a function on a thread of its own, and ends the thread. What the function throws is thrown here. */
export function onThread<T>(call: ThreadCall): Promise<T> {
  return new Promise((resolve, reject) => {
    // Without the options of this process: some, such as --input-type, are none for a thread.
    const worker = new Worker(new URL('./thread.js', import.meta.url), { workerData: call, execArgv: [] });
    worker.once('message', resolve);
    worker.once('error', reject);
    // After a message this comes too late to matter.
    worker.once('exit', (code) => reject(new Error(`a thread has ended early, with ${code}`)));
  });
}
