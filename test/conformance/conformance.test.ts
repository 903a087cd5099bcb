import { gate } from './gate.js';

gate('call');
