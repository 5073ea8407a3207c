import { describeRole } from '../../support/kit-role.js';

describeRole('client');
