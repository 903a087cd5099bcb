import { exitCode, Failure } from '../core/failure.js';
import { quoted, shellWord } from '../core/text/printable.js';

/** The sandbox cannot listen where it was told to. `code` is the system's, e.g. `EADDRINUSE`. */
export function sandboxPortRefused(port: number, code: string, cause: unknown): Failure {
  const why = code === 'EADDRINUSE' ? 'another program listens there' : `the system says ${quoted(code, 40)}`;
  return new Failure({
    code: 'port_refused',
    exit: exitCode.usage,
    message: `The sandbox cannot use port ${port} of 127.0.0.1: ${why}.`,
    remedy: 'Choose other ports, or leave --port and --authorization-port out.',
    cause,
  });
}

/** `--misbehave` names no fault. `near` is one that may have been meant. */
export function faultUnknown(name: string, near: string | undefined): Failure {
  return new Failure({
    code: 'usage_wrong',
    exit: exitCode.usage,
    message: `The sandbox has no fault named ${quoted(name, 80)}.`,
    remedy:
      near === undefined ? 'See the list: postern sandbox --help' : `Did you mean --misbehave ${shellWord(near)}?`,
  });
}
