import type { Command } from 'commander';
import type { Invocation } from '../terminal/io.js';

/** `passport-registry commit` */
export function addCommitCommand(_program: Command, _io: Invocation): void {}
