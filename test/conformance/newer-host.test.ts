import { gate } from './gate.js';

gate('bridge, newer host', ['2025-03-26', '2026-07-28']); // on the older wire once the bridge translates
