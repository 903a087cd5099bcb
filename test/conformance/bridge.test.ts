import { gate } from './gate.js';

gate('bridge, older host', ['2025-03-26', '2025-11-25']); // on the newer wire once the bridge translates
