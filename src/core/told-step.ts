import { Failure } from './failure.js';
import type { CorePorts } from './ports.js';
import type { Step } from './step.js';

/**
 * Does the work of a step; when the request itself fails, that too is a step that was taken, and is recorded.
 * @throws whatever the work throws
 */
export async function toldStep<Result>(
  ports: Pick<CorePorts, 'journal'>,
  step: Pick<Step, 'name' | 'asked' | 'rule'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) {
      ports.journal.record({ ...step, came: error.code.replaceAll('_', ' '), verdict: 'failure' });
    }
    throw error;
  }
}
