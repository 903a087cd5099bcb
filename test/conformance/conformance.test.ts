import { gate } from './gate.js';

// What authorization wants is played on this wire, too; the older ones: older-wires.test.ts.
gate('call', ['2026-07-28']);
