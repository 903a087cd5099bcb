import { exitCode, Failure } from '../../core/failure.js';

/**
 * A platform's token cannot be had where it should be.
 * @param source In words. @param why Ends a sentence, and quotes nothing of what is there.
 */
export function assertionUnreadable(source: string, why: string, remedy: string): Failure {
  const message = `The platform’s token cannot be read from ${source}: ${why}. Nothing was sent.`;
  return new Failure({ code: 'assertion_unreadable', exit: exitCode.loginNeeded, message, remedy });
}
