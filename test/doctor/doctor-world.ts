import { addressExaminer } from '../../src/doctor/address-examiner.js';
import type { ExamineWorld } from '../../src/doctor/ports.js';
import { systemResolver } from '../../src/http/resolve-host.js';
import type { Scene } from '../support/flows/scene.js';

/** What `doctor` is given in a test. */
export function doctorWorld(scene: Scene): ExamineWorld {
  const examineAddresses = addressExaminer({ userAgent: 'test', env: {}, resolve: systemResolver });
  return { ...scene.ports, clientMetadataUrl: undefined, examineAddresses, configuration: async () => ({}) };
}
