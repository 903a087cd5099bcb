import { gate } from './gate.js';

gate('bridge, older host');
