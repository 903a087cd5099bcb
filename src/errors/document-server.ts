import { quoted } from '../primitives/printable.js';
import { exitCode, Failure } from './failure.js';

/** A file of the folder that is to be served is not there. */
export function documentFileMissing(path: string, code: string): Failure {
  return new Failure({
    code: 'file_unreadable',
    exit: exitCode.usage,
    message: `${quoted(path, 200)} could not be read (${code}), and without it the folder cannot be served.`,
    remedy: 'Make the folder: postern client-metadata init, or build.',
  });
}

/** `--tls-cert` and `--tls-key`. `why` ends the sentence "… cannot be used: ". */
export function tlsFilesUnusable(path: string, why: string): Failure {
  return new Failure({
    code: 'tls_files_unusable',
    exit: exitCode.usage,
    message: `${quoted(path, 200)} cannot be used: ${why}.`,
    remedy: 'Pass PEM files, or --self-signed to have a certificate made.',
  });
}

/** Something else listens there. */
export function portInUse(port: number, cause: unknown): Failure {
  return new Failure({
    code: 'port_in_use',
    exit: exitCode.usage,
    message: `Port ${port} of 127.0.0.1, where the document was to be served, is in use by another process.`,
    remedy: 'End that process, or pass another --port; the document is then good for that port alone.',
    cause,
  });
}

/** The system does not let us. */
export function portRefused(port: number, code: string, cause: unknown): Failure {
  return new Failure({
    code: 'port_refused',
    exit: exitCode.usage,
    message: `Port ${port} of 127.0.0.1 cannot be used to serve the document: the system does not allow it (${code}).`,
    remedy: 'Pass a --port from 1024 to 65535.',
    cause,
  });
}
