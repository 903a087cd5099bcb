import { gate } from './gate.js';

gate('bridge, newer host');
