import type { Writable } from 'node:stream';
import type { LineReader, LineReaderOptions, ShellHistory } from '../call/shell/ports.js';
import type { ConfigWorld } from '../config/change.js';
import { lazy } from '../core/lazy.js';
import type { Pages } from '../core/ports.js';
import type { HttpClient } from '../http/request.js';
import type { Browser } from '../login/ports.js';
import type { ServerProgram } from '../mcp/stdio/stdio-client.js';
import type { ExternalProgramsOptions } from '../setup/machine/external-programs.js';
import type { Locks } from '../stores/ports.js';
import type { Context } from './context.js';
import type { Keyboard } from './terminal/quiet-keys.js';

/** Ports whose code is loaded, and which are made, at the first use: a command pays only for what it uses. */

/** A HTTP client that, never used, has nothing to close. */
export function lazyHttp(make: () => Promise<HttpClient>): HttpClient {
  let http: Promise<HttpClient> | undefined;
  const made = () => {
    http ??= make();
    return http;
  };
  return {
    send: async (request) => (await made()).send(request),
    check: async (target) => (await made()).check(target),
    [Symbol.asyncDispose]: async () => {
      const open = await http?.catch(() => undefined);
      await open?.[Symbol.asyncDispose]();
    },
  };
}

/** Pages that servers want a person to see. */
export function lazyPages(browser: Browser): Pages {
  return lazy({ open: true, describe: true }, async () => {
    const [{ createServerPages }, { callbackLimits }] = await Promise.all([
      import('../login/browser/server-pages.js'),
      import('../login/browser/callback-limits.js'),
    ]);
    return createServerPages({ browser, limits: callbackLimits });
  });
}

export function lazyConfigEditor(
  ...made: Parameters<typeof import('./configuration/config-editor.js').createConfigEditor>
): Pick<ConfigWorld, 'writeConfiguration' | 'editText'> {
  return lazy({ writeConfiguration: true, editText: true }, async () => {
    const { createConfigEditor } = await import('./configuration/config-editor.js');
    return createConfigEditor(...made);
  });
}

/** Other programs, and what is written for them. */
export function externalPorts(
  options: ExternalProgramsOptions,
): Pick<Context, 'externalPrograms' | 'findServers' | 'programsWithServers'> {
  const externalPrograms = async () => {
    const { createExternalPrograms } = await import('../setup/machine/external-programs.js');
    return createExternalPrograms(options);
  };
  return {
    externalPrograms,
    findServers: async (program, logins) =>
      (await import('../setup/find-servers.js')).findServers(externalPrograms, program, logins),
    programsWithServers: async (logins) =>
      (await import('../setup/find-servers.js')).programsWithServers(externalPrograms, logins),
  };
}

interface ShellPartsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: () => Keyboard;
  readonly stderr: Writable;
  /** Aborted when the program is to end. */
  readonly signal: AbortSignal;
  /** That of the state. */
  readonly folder: () => string;
  readonly locks: Locks;
}

/** What a conversation that a person leads takes: a prompt, its history, and servers that are programs. */
export function shellPorts({ env, stdin, stderr, signal, folder, locks }: ShellPartsOptions) {
  return {
    startServer: async (command: readonly string[], said: (line: string) => void): Promise<ServerProgram> => {
      const { startServerProgram } = await import('./server-program.js');
      return startServerProgram({ command, env, said, signal });
    },
    openLineReader: async (options: LineReaderOptions): Promise<LineReader> => {
      const { TerminalLineReader } = await import('./terminal/line-reader.js');
      return new TerminalLineReader(stdin(), stderr, options);
    },
    shellHistory: async (): Promise<ShellHistory> => {
      const { createShellHistory } = await import('../stores/state/shell-history.js');
      return createShellHistory({ directory: folder(), locks });
    },
  };
}
