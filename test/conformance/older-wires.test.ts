import { gate } from './gate.js';

gate('call', ['2025-03-26', '2025-11-25']);
