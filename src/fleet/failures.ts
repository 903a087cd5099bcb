import { exitCode, Failure } from '../core/failure.js';

/** `--listen` names no port of this machine's loopback. */
export function listenRefused(): Failure {
  return new Failure({
    code: 'usage',
    exit: exitCode.usage,
    message: 'The value of --listen cannot be used: it is not 127.0.0.1 with a port.',
    remedy: 'Write it as 127.0.0.1:9464; it is for this machine alone. See: postern keeper --help',
  });
}
