// biome-ignore-all lint/performance/noBarrelFile: it is the door that tests go through
export { startSandbox } from '../../src/sandbox/start.js';
