import { quoted } from '../primitives/printable.js';
import { shellWord } from '../primitives/quoting.js';
import { exitCode, Failure } from './failure.js';

/** `--name` is not of the form that names have. */
export function nameUnusable(name: string): Failure {
  return new Failure({
    code: 'name_unusable',
    exit: exitCode.usage,
    message: `${quoted(name, 80)} cannot be a name: names are 1 to 63 of a-z, 0-9, ".", "_" and "-", and begin with a letter or digit.`,
    remedy: 'Choose another --name.',
  });
}

/** `--name` is another login's. */
export function nameTaken(name: string, server: string): Failure {
  return new Failure({
    code: 'name_taken',
    exit: exitCode.usage,
    message: `The name ${quoted(name)} belongs to the login for ${quoted(server)}.`,
    remedy: 'Choose another --name, or log that one out first.',
  });
}

/** A server argument that is neither a name nor a URL that can be used. */
export function serverUnusable(server: string, why: string): Failure {
  return new Failure({
    code: 'server_unusable',
    exit: exitCode.usage,
    message: `${quoted(server, 200)} is not a usable server address: ${why}.`,
    remedy: 'Pass the server’s full URL, such as https://example.com/mcp.',
  });
}

/** A login needs a person, and there is nobody to ask. */
export function nobodyToAsk(server: string): Failure {
  return new Failure({
    code: 'login_needs_person',
    exit: exitCode.loginNeeded,
    message: `A login at ${quoted(server)} needs a person at a terminal, and there is none (no terminal, CI=true or --non-interactive).`,
    remedy: `Run in a terminal: postern login ${shellWord(server)}; or, to open the printed address elsewhere, add --no-browser.`,
  });
}
