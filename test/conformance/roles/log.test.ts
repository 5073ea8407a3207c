import { describeRole } from '../../support/kit-role.js';

await describeRole('log');
