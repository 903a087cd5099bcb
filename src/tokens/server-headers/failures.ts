import { exitCode, Failure } from '../../core/failure.js';

/** @param why The end of a sentence, without any value. */
export function headersUnusable(source: string, line: number | undefined, why: string): Failure {
  const where = line === undefined ? source : `line ${line} of ${source}`;
  return new Failure({
    code: 'headers_unusable',
    exit: exitCode.usage,
    message: `The headers for the server cannot be used: ${where}: ${why}.`,
    remedy: 'Write “Name: value”, one a line; which names there may be: postern help logging-in',
  });
}
