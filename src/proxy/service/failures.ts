import { exitCode, Failure } from '../../core/failure.js';
import { printable, quoted, shellWord } from '../../core/text/printable.js';

/** The folder for the units, or what lies at the place of one, is not what may be written to. */
export function unitRefused(path: string, why: string): Failure {
  const word = printable(shellWord(path), 300);
  return new Failure({
    code: 'unit_refused',
    exit: exitCode.usage,
    message: `${quoted(path, 300)} cannot be written: ${why}.`,
    remedy: `Look at it with ls -ld ${word}, move it away, and run this again.`,
  });
}

/** The service manager’s files have no form for a word of ours. */
export function serviceUnsayable(word: string): Failure {
  return new Failure({
    code: 'service_unsayable',
    exit: exitCode.usage,
    message: `The Task Scheduler would change ${quoted(word, 300)} before it starts it.`,
    remedy: 'Install Node.js and postern in a folder without %, $( and quotes in its path.',
  });
}

/** No service of that name or login. */
export function serviceUnknown(named: string): Failure {
  return new Failure({
    code: 'service_unknown',
    exit: exitCode.usage,
    message: `No proxy is installed for ${quoted(named, 300)}.`,
    remedy: `Install one with: postern proxy ${printable(shellWord(named), 300)} --install`,
  });
}

/** The service was installed with other options than are given now. */
export function serviceDiffers(named: string): Failure {
  const word = printable(shellWord(named), 300);
  return new Failure({
    code: 'service_differs',
    exit: exitCode.usage,
    message: `A proxy is installed for ${quoted(named, 300)} already, with another port or other options.`,
    remedy: `Leave them out, or take that one back first: postern proxy ${word} --uninstall`,
  });
}

/** No key was made for a host of that name. */
export function hostUnknown(host: string, named: string, hosts: readonly string[]): Failure {
  const known = hosts.length === 0 ? 'It has none' : `It has: ${hosts.join(', ')}`;
  return new Failure({
    code: 'host_unknown',
    exit: exitCode.usage,
    message: `The proxy for ${quoted(named, 300)} has no key for a host ${quoted(host, 80)}. ${known}.`,
    remedy: `Make one with: postern proxy ${printable(shellWord(named), 300)} --install --host ${printable(shellWord(host), 80)}`,
  });
}

/** Several hosts have keys, and none was named. */
export function hostNotNamed(named: string, hosts: readonly string[]): Failure {
  return new Failure({
    code: 'host_not_named',
    exit: exitCode.usage,
    message: `Whose key? These hosts have one: ${hosts.join(', ')}.`,
    remedy: `Name it: postern proxy ${printable(shellWord(named), 300)} --rotate --host ${hosts[0] ?? 'NAME'}`,
  });
}

/** All ports that are tried by themselves are taken. */
export function noPortFree(first: number, last: number): Failure {
  return new Failure({
    code: 'no_port_free',
    exit: exitCode.usage,
    message: `None of the ports tried from ${first} to ${last} of 127.0.0.1 is free.`,
    remedy: 'Choose one with --port.',
  });
}

/** A port for a service is another program’s. `holder`: who that is, where it is known. */
export function servicePortTaken(port: number, holder: string | undefined): Failure {
  return new Failure({
    code: 'proxy_port_in_use',
    exit: exitCode.usage,
    message: `Port ${port} of 127.0.0.1 is in use by ${holder ?? 'another program'}.`,
    remedy: 'End that program, or choose another --port, or leave it out to have a free one taken.',
  });
}
