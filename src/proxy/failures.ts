import { exitCode, Failure } from '../core/failure.js';
import { quotedServer } from '../core/resource.js';
import { printable, quoted, quotedPath, shellWord } from '../core/text/printable.js';

/** The port that was asked for belongs to another process, or may not be had. */
export function proxyPortRefused(port: number, code: string, cause: unknown): Failure {
  return new Failure({
    code: code === 'EADDRINUSE' ? 'proxy_port_in_use' : 'proxy_port_refused',
    exit: exitCode.usage,
    message:
      code === 'EADDRINUSE'
        ? `Port ${port} of 127.0.0.1 is in use by another process.`
        : `Port ${port} of 127.0.0.1 cannot be listened on (${code}).`,
    remedy: 'Choose another port. Without --port, or with --listen 127.0.0.1:0, a free one is taken.',
    cause,
  });
}

/** The Unix socket cannot be, or must not be, where it was asked for. `why` finishes "… cannot be a socket: …". */
export function proxySocketRefused(path: string, why: string, remedy: string, cause?: unknown): Failure {
  return new Failure({
    code: 'proxy_socket_refused',
    exit: exitCode.usage,
    message: `${quotedPath(path, 200)} cannot be a socket of ours: ${why}.`,
    remedy,
    cause,
  });
}

/** What one server wants, another must not get. */
export function headersForOne(): Failure {
  return new Failure({
    code: 'usage_wrong',
    exit: exitCode.usage,
    message: '--header-file and --header-env are for one server, and several are named.',
    remedy: 'Give each login its headers once: postern login NAME --header-file FILE',
  });
}

/** `--ready-fd` names no open descriptor. */
export function readyDescriptorUnusable(descriptor: number, code: string): Failure {
  return new Failure({
    code: 'ready_fd_unusable',
    exit: exitCode.usage,
    message: `File descriptor ${descriptor}, which --ready-fd names, cannot be written to (${code}).`,
    remedy: 'Open it in the program that starts this one, as in: postern proxy work --ready-fd 3 3>ready',
  });
}

/** Its answers come on a stream that names another address for messages: that is not passed on. */
export function olderTransport(server: string): Failure {
  return new Failure({
    code: 'older_transport',
    exit: exitCode.callFailed,
    message: `${quotedServer(server)} speaks the transport of 2024-11-05 (HTTP+SSE), which does not pass through a proxy.`,
    remedy: `Have the program start a bridge instead: postern bridge ${printable(shellWord(server), 300)}`,
  });
}

/** A program asked for a tool that the person does not lend it. */
export function toolNotLent(tools: readonly string[]): Failure {
  const named = tools.length === 0 ? 'a message' : tools.map((tool) => quoted(tool, 80)).join(', ');
  return new Failure({
    code: 'tool_not_lent',
    exit: exitCode.refused,
    message: `Not passed on: ${named}; only some tools are lent here.`,
    remedy: 'To lend it, end this proxy, and start it with other options; see: postern proxy --help',
  });
}
